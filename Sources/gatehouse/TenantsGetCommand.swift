import ArgumentParser
import CommandSupport
import Verification

struct TenantsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints a tenant as YAML, with <secret> for each secret.",
        discussion: """
            What it prints can be given to "put" again: <secret> keeps the secret that is there. Mistakes of a tenant \
            that is not in force go to standard error.

              gatehouse tenants get shop > shop.yaml
            """
    )

    @OptionGroup
    var tenant: TenantArgument

    @Option(help: ArgumentHelp("An earlier version, by its number.", valueName: "number"))
    var version: Int?

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let client = try options.client()
        let answer =
            if let version { try await client.get("/api/tenants/\(tenant.name)/versions/\(version)") } else {
                try await client.existing(tenant.name)
            }
        guard let text = answer["yaml"]?.string else { throw CommandFailure(options.admin.isSomethingElse) }
        Terminal.print(TenantsDiffCommand.trimmed(text))
        for mistake in answer["mistakes"]?.array ?? [] {
            let message = mistake.object?["message"]?.string ?? "?"
            Terminal.printError("not in force: \(RevocationLine.printable(message))")
        }
    }
}
