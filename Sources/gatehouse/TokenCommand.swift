import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Verifies and signs tokens.",
        subcommands: [TokenVerifyCommand.self, TokenMintCommand.self]
    )
}
