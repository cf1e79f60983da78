import ArgumentParser
import CommandSupport
import Verification

struct TenantsVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "Prints the last 20 versions of a tenant of the store, the newest first."
    )

    @OptionGroup
    var tenant: TenantArgument

    @OptionGroup
    var options: TenantsOptions

    func run() async throws {
        let answer = try await options.client().get("/api/tenants/\(tenant.name)/versions")
        guard let versions = answer["versions"]?.array else { throw CommandFailure(options.admin.isSomethingElse) }
        for version in versions { Terminal.print(TenantsClient.line(version: version.object ?? JSONObject())) }
    }
}
