import ArgumentParser
import CommandSupport
import Verification

struct TenantsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a tenant of the store; its versions are kept for a rollback."
    )

    @OptionGroup
    var tenant: TenantArgument

    @OptionGroup
    var expected: ExpectedVersion

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let client = try options.client()
        let condition = try await expected.field(tenant.name, client)
        guard condition.name == "If-Match" else {
            throw CommandFailure("there is no tenant \(tenant.name); gatehouse tenants list shows those that there are")
        }
        let version = try await client.write(.delete, "/api/tenants/\(tenant.name)", condition)
        Terminal.print("deleted: tenant \(tenant.name), \(TenantsClient.line(version: version))")
    }
}
