import ArgumentParser
import CommandSupport
import Tenants
import Verification

struct TenantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants",
        abstract: "Lists, reads and writes the tenants of a running gateway.",
        discussion: """
            Asks the admin API of a running gateway, which keeps them in its store where gateway.tenants is [files, \
            store]. A change is in force at all instances within a second.

            An admin token with the scope tenants:PATTERN is read from the environment, GATEHOUSE_ADMIN_TOKEN.
            """,
        subcommands: [
            TenantsListCommand.self, TenantsGetCommand.self, TenantsPutCommand.self, TenantsDeleteCommand.self,
            TenantsDiffCommand.self, TenantsVersionsCommand.self, TenantsRollbackCommand.self,
        ]
    )
}

/// Where the admin listener is, for each of the commands.
struct TenantsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Where the admin listener is (default: \(AdminURL.default)).", valueName: "url"),
        transform: AdminURL.init
    )
    var admin = AdminURL.default

    @OptionGroup
    var adminTLS: AdminTLSOptions

    func client() throws -> TenantsClient {
        let client = try adminTLS.client(for: admin, token: AdminClient.tokenFromEnvironment())
        if admin.isOpenToOthers {
            Terminal.printError("warning: \(admin) is plain http to another machine: secrets can be read on the way")
        }
        return TenantsClient(client: client, url: admin)
    }
}

/// The name of a tenant, as an argument.
struct TenantArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The tenant's name.", valueName: "name"))
    var name: String

    func validate() throws {
        guard TenantText.isName(name) else {
            throw ValidationError("a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\"")
        }
    }
}

/// The version that a write replaces.
struct ExpectedVersion: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only if this is the present version, as \"versions\" shows it. Omitted: whatever is there now.",
            valueName: "etag"
        )
    )
    var etag: String?

    /// - Returns: The field of the request.
    func field(_ name: String, _ client: TenantsClient) async throws -> (name: String, value: String) {
        if let etag { return ("If-Match", etag.hasPrefix("\"") ? etag : "\"\(etag)\"") }
        guard let present = try await client.tenant(name) else { return ("If-None-Match", "*") }
        guard let etag = present["etag"]?.string else {
            throw CommandFailure("\(name) is in tenants.yaml, which wins: change it there")
        }
        return ("If-Match", etag)
    }
}
