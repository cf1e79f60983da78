import ArgumentParser
import CommandSupport
import Verification

struct AccountsRemovePasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-passkey",
        abstract: "Removes a passkey of an account, or all of them.",
        discussion: """
            Asks the admin API of a running gateway. Exit status 0 means that no instance signs anybody in by the passkey \
            any more. Sessions that it began go on: gatehouse revoke --subject ends them.

            The last way into an account is removed too. Its owner then gets back in only by a login of the account: see \
            accounts show.

            An admin token with the scope revoke is read from the environment, GATEHOUSE_ADMIN_TOKEN. An ID that begins \
            with a dash is written --passkey=-ID.

              gatehouse accounts remove-passkey --tenant shop --subject alice --passkey pGd0cZ3XkQ
              gatehouse accounts remove-passkey --tenant shop --subject alice --all
            """
    )

    @OptionGroup
    var account: AccountOptions

    @Option(help: ArgumentHelp("The passkey, as accounts show and the log name it.", valueName: "id"))
    var passkey: String?

    @Flag(help: "All passkeys of the account.")
    var all = false

    func validate() throws {
        guard (passkey != nil) != all else { throw ValidationError("give exactly one of --passkey and --all") }
        if let passkey, Base64URL.decode(passkey)?.isEmpty ?? true {
            throw ValidationError("--passkey is the ID that accounts show prints, in base64url")
        }
    }

    func run() async throws {
        let object = try await account.send(.delete, "/passkeys" + (passkey.map { "/\($0)" } ?? ""))
        guard let removed = object["removed"]?.array, let left = object["account"]?.object else {
            throw CommandFailure(account.admin.isSomethingElse)
        }
        for line in Self.lines(removed: removed, left) { Terminal.print(line) }
    }

    static func lines(removed: [JSONValue], _ account: JSONObject) -> [String] {
        var lines = removed.compactMap(\.object).map { "removed: \(AccountLines.passkey($0))" }
        if lines.isEmpty { lines.append("nothing was removed: the account has no passkeys") }
        if account["logins"]?.array?.isEmpty != false, account["passkeys"]?.array?.isEmpty != false {
            lines.append("nothing is left that signs in to this account")
        }
        return lines
    }
}
