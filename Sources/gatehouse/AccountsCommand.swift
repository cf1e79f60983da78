import ArgumentParser
import CommandSupport
import Tenants
import Verification

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Shows accounts, removes passkeys, and follows an app to another Apple team.",
        subcommands: [
            AccountsShowCommand.self, AccountsRemovePasskeyCommand.self, AccountsMigrateAppleCommand.self,
        ]
    )
}

/// An account, and the gateway that is asked about it.
struct AccountOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The tenant's name in tenants.yaml.", valueName: "name"))
    var tenant: String

    @Option(help: ArgumentHelp("The account's subject: the sub of its tokens, and of the log.", valueName: "id"))
    var subject: String

    @Option(
        help: ArgumentHelp("Where the admin listener is (default: \(AdminURL.default)).", valueName: "url"),
        transform: AdminURL.init
    )
    var admin = AdminURL.default

    @OptionGroup
    var adminTLS: AdminTLSOptions

    func validate() throws {
        guard TenantText.isName(tenant) else {
            throw ValidationError("a tenant's name has 1 to 63 letters, digits, \"-\" and \"_\"")
        }
        guard !subject.isEmpty else { throw ValidationError("--subject is empty") }
    }

    /// A request about the account.
    ///
    /// - Parameter further: Below the account's path.
    /// - Returns: The object of a 2xx response.
    func send(_ method: AdminClient.Method, _ further: String = "") async throws -> JSONObject {
        let client = try adminTLS.client(for: admin, token: AdminClient.tokenFromEnvironment())
        if admin.isOpenToOthers, client.hasToken {
            Terminal.printError("warning: \(admin) is plain http to another machine: the token can be read on the way")
        }
        let path = "/api/tenants/\(tenant)/accounts/\(PercentEncoding.encode(subject))\(further)"
        let (status, object) = try await client.exchange(method, path)
        guard (200..<300).contains(status) else { throw client.failure(of: status, object) }
        guard let object else { throw CommandFailure(admin.isSomethingElse) }
        return object
    }
}
