import ArgumentParser
import Gateway

@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "Authentication gateway for several apps: verifies tokens, applies access rules, forwards.",
        version: GatewayVersion.number,
        subcommands: [
            RunCommand.self, InitCommand.self, CheckCommand.self, ExplainCommand.self, RevokeCommand.self,
            HealthCommand.self, TokenCommand.self, KeysCommand.self, SchemaCommand.self,
        ]
    )
}
