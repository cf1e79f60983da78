import ArgumentParser

@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "One door in front of several apps: verifies tokens, applies access rules, forwards.",
        version: "0.1.0",
        subcommands: [
            RunCommand.self, CheckCommand.self, DemoCommand.self, RevokeCommand.self, TokenCommand.self,
            KeysCommand.self,
        ]
    )
}
