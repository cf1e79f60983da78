import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Verifies and signs tokens, and proofs that go with them.",
        subcommands: [TokenVerifyCommand.self, TokenMintCommand.self, TokenProveCommand.self]
    )
}
