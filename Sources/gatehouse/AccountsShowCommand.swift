import ArgumentParser
import CommandSupport
import Verification

struct AccountsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints how people get into an account: its logins and its passkeys.",
        discussion: """
            Asks the admin API of a running gateway. A passkey's ID is what the log has as passkey, and what \
            accounts remove-passkey takes.

            An admin token with the scope read or revoke is read from the environment, GATEHOUSE_ADMIN_TOKEN. A subject \
            that begins with a dash is written --subject=-ID.

              gatehouse accounts show --tenant shop --subject 80xcEw3QD8aQcGm74X5-7Q
            """
    )

    @OptionGroup
    var account: AccountOptions

    func run() async throws {
        let object = try await account.send(.get)
        guard let lines = AccountLines.all(of: object) else { throw CommandFailure(account.admin.isSomethingElse) }
        for line in lines { Terminal.print(line) }
    }
}

/// An account of the admin API as lines of text.
enum AccountLines {
    /// - Returns: Nil for an answer that is none of a gateway.
    static func all(of account: JSONObject) -> [String]? {
        guard let subject = account["subject"]?.string, let logins = account["logins"]?.array,
            let passkeys = account["passkeys"]?.array
        else { return nil }
        var first = "account \(subject)"
        if let role = account["role"]?.string { first += ", \(role)" }
        if let createdAt = account["created_at"]?.string { first += ", since \(createdAt)" }
        var lines = [first]
        for login in logins.compactMap(\.object) {
            lines.append("login \(login["provider"]?.string ?? "?") \(login["subject"]?.string ?? "?")")
        }
        lines += passkeys.compactMap(\.object).map(passkey)
        return lines.map(RevocationLine.printable)
    }

    static func passkey(_ passkey: JSONObject) -> String {
        var parts = [
            "passkey \(passkey["id"]?.string ?? "?")", "\"\(passkey["name"]?.string ?? "")\"",
            "added \(passkey["added_at"]?.string ?? "?")",
            passkey["last_used_at"]?.string.map { "last used \($0)" } ?? "never used",
        ]
        if let count = passkey["count"]?.double, count > 0 { parts.append("count \(Int(count))") }
        if passkey["is_shared"] == true { parts.append("on several devices") }
        return RevocationLine.printable(parts.joined(separator: ", "))
    }
}
