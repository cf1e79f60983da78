import ArgumentParser
import CommandSupport
import Verification

struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes the next signing key of a tenant's issuer the active one.",
        discussion: """
            Calls the admin API of a running gateway; for tenants whose signing keys the gateway generates itself. The \
            gateway rotates them every issuer.rotate_every; use this command to replace a key earlier. The next key \
            becomes active on all instances at the same time, once it has been published long enough, and tokens \
            signed with the old key remain valid until they expire.

            The admin token (gateway.admin.token) is read from the environment, GATEHOUSE_ADMIN_TOKEN.

              gatehouse keys rotate --tenant shop --dry-run
            """
    )

    @Option(help: ArgumentHelp("The tenant's name in tenants.yaml.", valueName: "name"))
    var tenant: String

    @Flag(help: "Only print what would be done.")
    var dryRun = false

    @Option(
        help: ArgumentHelp("Where the admin listener is (default: \(AdminURL.default)).", valueName: "url"),
        transform: AdminURL.init
    )
    var admin = AdminURL.default

    @OptionGroup
    var adminTLS: AdminTLSOptions

    func run() async throws {
        let client = try adminTLS.client(for: admin, token: AdminClient.tokenFromEnvironment())
        if admin.isOpenToOthers, client.hasToken {
            Terminal.printError("warning: \(admin) is plain http to another machine: the token can be read on the way")
        }
        let response = try await client.send(.post, "/api/keys", ["tenant": .string(tenant), "dry_run": .bool(dryRun)])
        guard let lines = Self.lines(response) else { throw CommandFailure(admin.isSomethingElse) }
        for line in lines { Terminal.print(line) }
    }

    /// - Returns: Nil for an answer that is none of a gateway.
    static func lines(_ response: JSONObject) -> [String]? {
        guard let active = response["active"]?.string, let takesOverAt = response["takes_over_at"]?.string,
            let verifiesUntil = response["verifies_until"]?.string
        else { return nil }
        let next = response["next"]?.string.map { "key \($0)" } ?? "a key that is yet to be made"
        var lines = [
            "\(takesOverAt): \(next) signs, and one after it is made",
            "\(verifiesUntil): key \(active), which signs until the other does, verifies no more",
        ]
        if response["under_way"] == true { lines.insert("a rotation is under way already:", at: 0) }
        if response["dry_run"] == true { lines.append("nothing was changed (--dry-run)") }
        return lines.map(RevocationLine.printable)
    }
}
