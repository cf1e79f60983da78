import ArgumentParser
import CommandSupport
import Verification

struct TenantsRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Makes the text of an earlier version of a tenant a new one; of a deleted tenant too.",
        discussion: """
              gatehouse tenants versions shop
              gatehouse tenants rollback shop --to 6
            """
    )

    @OptionGroup
    var tenant: TenantArgument

    @Option(help: ArgumentHelp("The number of the version.", valueName: "number"))
    var to: Int

    @OptionGroup
    var expected: ExpectedVersion

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let client = try options.client()
        let condition = try await expected.field(tenant.name, client)
        let body: JSONObject = ["version": .number(JSONNumber(to))]
        let path = "/api/tenants/\(tenant.name)/rollback"
        let version = try await client.write(
            .post,
            path,
            condition,
            JSONWriter.bytes(of: body),
            file: "version \(to)"
        )
        Terminal.print("rolled back: tenant \(tenant.name), \(TenantsClient.line(version: version))")
    }
}
