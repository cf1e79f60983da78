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
            HealthCommand.self, TenantsCommand.self, AccountsCommand.self, TokenCommand.self, KeysCommand.self,
            SchemaCommand.self,
        ]
    )

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot(arguments)
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch {
                exit(withError: error)
            }
        } catch {
            guard exitCode(for: error) == .validationFailure, let hint = UsageHint.text(for: arguments, of: Self.self)
            else { exit(withError: error) }
            exit(withError: ValidationError(hint))
        }
    }
}
