import ArgumentParser
import Gateway

@main
struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "One door in front of several apps: verifies tokens, applies access rules, forwards.",
        version: GatewayVersion.number,
        subcommands: [
            RunCommand.self, CheckCommand.self, ExplainCommand.self, RevokeCommand.self,
            HealthCommand.self, TokenCommand.self, KeysCommand.self, SchemaCommand.self,
        ]
    )
}
