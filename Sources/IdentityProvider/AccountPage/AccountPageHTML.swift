import Localization
import Tenants
import Time
import Verification

/// The page of a person's own account.
struct AccountPageHTML: Sendable {
    /// What the page is of.
    let account: Account
    let sessions: [IssuerSession]
    /// The one that the page was asked for with.
    let current: IssuerSession
    let unlinksLogins: Bool
    /// Those of the account's logins that may be unlinked.
    let unlinkable: [Account.Identity]
    /// Whether one may be added here.
    let passkeys: Passkeys

    enum Passkeys: Sendable, Equatable {
        /// There are none at this tenant, or on this host.
        case off
        /// One may be added after another sign-in, at this URL.
        case afterSignIn(at: String)
        case on
    }

    /// The name of a provider for people.
    let label: @Sendable (SignIn.Provider) -> String
    /// Its own path, as configured.
    let path: PathPattern
    let token: String
    let texts: AccountTexts
    /// What was done, or why it was not; nil for nothing.
    var notice: String?
    /// HTML; empty if accounts are not deleted here.
    var deletionSection = ""

    /// - Parameter frame: The tenant's.
    func content(in frame: PageFrame) -> String {
        let name = account.name ?? account.email
        let signedIn = name.map { FilledText.html(texts.signedInAs, $0) } ?? ""
        let parts = [
            "<h1>\(HTMLText.escaped(texts.title))</h1>",
            "<p>\(frame.nameHTML)</p>",
            name == nil ? "" : "<p class=\"quiet\">\(signedIn)</p>",
            notice.map { "<p class=\"done\" role=\"status\">\(HTMLText.escaped($0))</p>" } ?? "",
            sessionSection, loginSection, passkeySection, deletionSection,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    // MARK: Sections

    private var sessionSection: String {
        let others = sessions.filter { $0.id != current.id }
        let items = ([current] + others).map(item)
        let end = others.isEmpty ? "" : "\n" + form(.signOutOthers, texts.signOutOthers, isButton: true)
        return section(texts.sessions, items) + end
    }

    private func item(_ session: IssuerSession) -> String {
        let device = DeviceName.text(of: session.device) ?? texts.unknownDevice
        let isCurrent = session.id == current.id
        var lines = ["<p class=\"name\"><bdi>\(HTMLText.escaped(device))</bdi></p>"]
        if isCurrent { lines.append("<p class=\"quiet\">\(HTMLText.escaped(texts.thisSession))</p>") }
        if let client = session.clientID { lines.append("<p class=\"quiet\">\(HTMLText.escaped(client))</p>") }
        if let address = session.address { lines.append("<p class=\"quiet\">\(HTMLText.escaped(address))</p>") }
        lines.append("<p class=\"quiet\">\(FilledText.html(texts.lastUsed, html: Self.time(session.lastUsedAt)))</p>")
        lines.append(form(.signOut, texts.signOut, ["session": session.id]))
        return lines.joined(separator: "\n")
    }

    private var loginSection: String {
        let items = account.identities.map { identity in
            let name = "<p class=\"name\"><bdi>\(HTMLText.escaped(label(identity.provider)))</bdi></p>"
            guard unlinksLogins else { return name }
            guard unlinkable.contains(identity) else {
                return "\(name)\n<p class=\"quiet\">\(HTMLText.escaped(texts.lastWayIn))</p>"
            }
            let fields: KeyValuePairs = ["provider": identity.provider.rawValue, "subject": identity.subject]
            return "\(name)\n\(form(.unlink, texts.unlink, fields))"
        }
        return items.isEmpty ? "" : section(texts.logins, items)
    }

    private var passkeySection: String {
        guard passkeys != .off else { return "" }
        let items = account.passkeys.map(item)
        let none = "<p class=\"quiet\">\(HTMLText.escaped(texts.noPasskeys))</p>"
        let list =
            items.isEmpty
            ? "<h2>\(HTMLText.escaped(texts.passkeys))</h2>\n\(none)" : section(texts.passkeys, items)
        switch passkeys {
        case .off: return ""
        case .afterSignIn(let url):
            let link = "<a class=\"link\" href=\"\(HTMLText.escaped(url))\">\(HTMLText.escaped(texts.signIn))</a>"
            return "\(list)\n<p>\(HTMLText.escaped(texts.signInAgain)) \(link)</p>"
        case .on: return "\(list)\n\(additionForm)"
        }
    }

    private func item(_ passkey: AccountPasskey) -> String {
        let id = Base64URL.encode(passkey.credential.id)
        let used = passkey.usedAt.map { FilledText.html(texts.lastUsed, html: Self.time($0)) }
        return """
            <p class="name"><bdi>\(HTMLText.escaped(passkey.name))</bdi></p>
            <p class="quiet">\(FilledText.html(texts.added, html: Self.time(passkey.addedAt)))</p>
            <p class="quiet">\(used ?? HTMLText.escaped(texts.neverUsed))</p>
            \(form(.renamePasskey, texts.rename, ["passkey": id], named: passkey.name))
            \(form(.removePasskey, texts.remove, ["passkey": id]))
            """
    }

    /// Shown by the script alone.
    private var additionForm: String {
        """
        <div id="passkey" hidden data-purpose="add" data-url="\(HTMLText.escaped(PagePath.encoded(path.description)))" \
        data-token="\(HTMLText.escaped(token))" data-failed="\(HTMLText.escaped(texts.passkeyRefused))">
        <label>\(HTMLText.escaped(texts.name))<input type="text" maxlength="64" value="\
        \(HTMLText.escaped(texts.newPasskey))"></label>
        <button type="button" class="button"><span>\(HTMLText.escaped(texts.addPasskey))</span></button>
        <p role="status"></p>
        </div>
        """
    }

    // MARK: Parts

    private func section(_ title: String, _ items: [String]) -> String {
        let list = items.map { "<li class=\"card\">\n\($0)\n</li>" }.joined(separator: "\n")
        return "<h2>\(HTMLText.escaped(title))</h2>\n<ul role=\"list\">\n\(list)\n</ul>"
    }

    /// - Parameter named: The value of a field for a name; nil for a form without one.
    private func form(
        _ action: AccountAction,
        _ label: String,
        _ fields: KeyValuePairs<String, String> = [:],
        named: String? = nil,
        isButton: Bool = false
    ) -> String {
        let hidden = ([("action", action.rawValue), ("token", token)] + fields.map { ($0.key, $0.value) })
            .map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(HTMLText.escaped($0.1))\">" }
        let name = named.map { value in
            "<label>\(HTMLText.escaped(texts.name))<input type=\"text\" name=\"name\" maxlength=\"64\" required"
                + " value=\"\(HTMLText.escaped(value))\"></label>"
        }
        let url = HTMLText.escaped(PagePath.encoded(path.description))
        return """
            <form method="post" action="\(url)">\(hidden.joined())\(name ?? "")\
            <button class="\(isButton ? "button" : "link")"><span>\(HTMLText.escaped(label))</span></button></form>
            """
    }

    private static func time(_ time: UnixTime) -> String {
        let full = HTTPDate.rfc3339(time)
        return "<time datetime=\"\(full)\">\(full.prefix(10)) \(full.dropFirst(11).prefix(5)) UTC</time>"
    }
}
