import ArgumentParser
import CommandSupport
import ConfigurationText
import Tenants
import Verification

struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes a token, a session, a subject or a whole tenant, or withdraws a revocation.",
        discussion: """
            Asks the admin API of a running gateway. Exit status 0 means that the revocation is stored and in force \
            there at once; every other instance on the same store follows within a second.

            A token is kept on the list until it would have expired, all else until it is withdrawn, unless --for says \
            how long. --subject and --all refuse the tokens that were issued before now: who signs in again gets in. \
            --session ends the browser's session at the tenant's own issuer too: the device has to sign in again. \
            An ID that begins with a dash is written --session=-ID.

            The admin token (gateway.admin.token) is read from the environment, GATEHOUSE_ADMIN_TOKEN.

              gatehouse revoke --tenant shop --subject alice --reason "left the company"
              gatehouse revoke --tenant shop --session 7f3a --withdraw
              gatehouse revoke --tenant shop --token - < token.txt
            """
    )

    @Option(help: ArgumentHelp("The tenant's name in tenants.yaml.", valueName: "name"))
    var tenant: String

    @Option(help: ArgumentHelp("A dash: one compact token is read from standard input.", valueName: "-"))
    var token: String?

    @Option(help: ArgumentHelp("A token by its jti, from any of the tenant's issuers.", valueName: "id"))
    var jti: String?

    @Option(help: ArgumentHelp("Every token with this sub that was issued before now.", valueName: "id"))
    var subject: String?

    @Option(help: ArgumentHelp("Every token with this sid.", valueName: "id"))
    var session: String?

    @Flag(help: "Every token of the tenant that was issued before now.")
    var all = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the revocation is kept: 30m, 12h, 30d.", valueName: "duration"),
        transform: Self.lifetime
    )
    var lifetime: String?

    @Option(help: ArgumentHelp("Why, for people and the log; at most 200 characters.", valueName: "text"))
    var reason: String?

    @Option(
        help: ArgumentHelp("Where the admin listener is (default: \(AdminURL.default)).", valueName: "url"),
        transform: AdminURL.init
    )
    var admin = AdminURL.default

    @OptionGroup
    var adminTLS: AdminTLSOptions

    @Flag(help: "Withdraw the revocation.")
    var withdraw = false

    func validate() throws {
        let selectors = [token != nil, jti != nil, subject != nil, session != nil, all]
        guard selectors.count(where: { $0 }) == 1 else {
            throw ValidationError("give exactly one of --token -, --jti, --subject, --session and --all")
        }
        if let token, token != "-" {
            throw ValidationError(
                "give the token on standard input, with --token -: other users can see command lines"
            )
        }
        guard !withdraw || lifetime == nil else {
            throw ValidationError("--for says how long a revocation is kept; leave it out with --withdraw")
        }
    }

    func run() async throws {
        let client = try adminTLS.client(for: admin, token: AdminClient.tokenFromEnvironment())
        let body = try body()
        if admin.isOpenToOthers, client.hasToken || token != nil {
            Terminal.printError("warning: \(admin) is plain http to another machine: the token can be read on the way")
        }
        let response = try await client.send(withdraw ? .delete : .post, "/api/revocations", body)
        let member = withdraw ? "withdrawn" : "revoked"
        guard let entries = response[member]?.array else { throw CommandFailure(admin.isSomethingElse) }
        for entry in entries { Terminal.print("\(member): \(RevocationLine.text(of: entry.object ?? JSONObject()))") }
        if entries.isEmpty { Terminal.print("nothing was withdrawn: no such revocation was in force") }
    }

    private func body() throws -> JSONObject {
        var body: JSONObject = ["tenant": .string(tenant)]
        if token != nil { body["token"] = .string(try TokenInput.read()) }
        body["jti"] = jti.map(JSONValue.string)
        body["subject"] = subject.map(JSONValue.string)
        body["session"] = session.map(JSONValue.string)
        if all { body["all"] = true }
        body["for"] = lifetime.map(JSONValue.string)
        body["reason"] = reason.map(JSONValue.string)
        return body
    }

    private static func lifetime(_ argument: String) throws -> String {
        do {
            _ = try ScalarText.duration(argument)
        } catch {
            throw ValidationError(error.text)
        }
        return argument
    }
}
