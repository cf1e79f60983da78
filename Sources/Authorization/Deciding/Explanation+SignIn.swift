import ConfigurationText
import IdentityProvider
import Tenants

/// Notes on the login in a browser, the account page, passkeys and the deletion of accounts.
extension Explanation {
    /// What an endpoint does with the tenant's `sign_in`; nothing for those that other notes are of.
    func noteSignIn(_ endpoint: Endpoint, _ signIn: SignIn, _ tenant: Tenant) {
        switch endpoint {
        case .webLogin: noteLogin(signIn, tenant)
        case .webCallback: noteReturn(signIn, tenant)
        case .accountPage: noteAccountPage(signIn, tenant)
        case .passkeyScript:
            note(.endpoint, "everybody gets the same script, without a sign-in", line: line("passkeys", tenant))
        case .passkeySignIn: notePasskeys(signIn, tenant)
        case .accountDeletion: noteDeletion(signIn, tenant)
        case .deletionReceipt:
            note(
                .endpoint,
                "whoever has the id of a receipt reads it, without a token, until 30 days after the last step",
                line: line("delete_account", tenant)
            )
        default: break
        }
    }

    private func line(_ key: String, _ tenant: Tenant) -> SourceLine? {
        tenant.lines["sign_in.\(key)"] ?? tenant.lines["sign_in"]
    }

    // MARK: The login

    private func noteLogin(_ signIn: SignIn, _ tenant: Tenant) {
        guard let web = signIn.web else { return }
        let providers = (web.provider.map { [$0] } ?? signIn.pageProviders).map(\.rawValue)
        let passkeys = signIn.passkeys.map { " or a passkey of \(Self.shown($0.relyingParty))" } ?? ""
        let isPage = providers.count > 1 || signIn.passkeys != nil
        note(
            .endpoint,
            isPage
                ? "a browser gets a page to sign in with \(Self.list(providers))\(passkeys)"
                : "a browser is led to sign in with \(Self.list(providers))",
            line: line("web", tenant)
        )
        noteReturn(signIn, tenant)
        if signIn.navigations == .signIn {
            note(
                .endpoint,
                "browsers that open a page without a good token are led here, and back to that page",
                line: line("unauthenticated", tenant)
            )
        }
    }

    /// What comes of a sign-in.
    private func noteReturn(_ signIn: SignIn, _ tenant: Tenant) {
        guard let web = signIn.web else { return }
        noteAdmission(signIn, tenant)
        note(
            .endpoint,
            "then it gets the cookies \(web.accessCookie) and \(web.refreshCookie), and is led to "
                + "\(Self.shown(Self.withoutQuery(web.after))), or to where \"after\" of the request says on the same origin",
            line: line("web", tenant)
        )
    }

    /// Whom `who` lets in.
    private func noteAdmission(_ signIn: SignIn, _ tenant: Tenant) {
        guard let who = signIn.who else {
            return note(.endpoint, "everybody comes in whom a provider signs in", line: line("web", tenant))
        }
        var needs: [String] = []
        if who.restrictsEmails {
            var places = who.emailDomains.isEmpty ? [] : ["in \(Self.list(who.emailDomains))"]
            if who.emailsFile != nil { places.append("in emails_file") }
            needs.append("a verified e-mail \(places.joined(separator: " or "))")
        }
        if !who.groups.isEmpty { needs.append("one of the groups \(Self.list(who.groups))") }
        note(
            .endpoint,
            "only those come in who have \(needs.joined(separator: " and ")); others get 403 not_allowed",
            line: line("who", tenant)
        )
    }

    // MARK: The account page

    private func noteAccountPage(_ signIn: SignIn, _ tenant: Tenant) {
        guard let web = signIn.web else { return }
        var parts = ["see and end their sessions at this tenant"]
        parts.append(tenant.accounts.hook == nil ? "see and unlink their logins" : "see their logins")
        if let passkeys = signIn.passkeys {
            parts.append("make and remove passkeys of \(Self.shown(passkeys.relyingParty))")
        }
        if signIn.deletion != nil { parts.append("delete their account") }
        note(.endpoint, "people \(parts.joined(separator: ", ")) here", line: line("account_page", tenant))
        note(
            .endpoint,
            "they are known by the cookies \(web.accessCookie) and \(web.refreshCookie); whoever has none that is good is "
                + "led to \(web.login), and back",
            line: line("web", tenant)
        )
        note(
            .endpoint,
            "changes need the form's own token and come from the same site or a trusted origin, in observe mode too; all "
                + "but the end of sessions need a sign-in within the last 15 minutes",
            line: line("account_page", tenant)
        )
    }

    private func notePasskeys(_ signIn: SignIn, _ tenant: Tenant) {
        guard let passkeys = signIn.passkeys else { return }
        note(
            .endpoint,
            "a sign-in page sends a passkey of \(Self.shown(passkeys.relyingParty)) here: it needs the cookie of its sign-in, "
                + "begun within the last 10 minutes, and a user whom the device has verified",
            line: line("passkeys", tenant)
        )
        note(
            .endpoint,
            "one of the tenant's providers must have signed the person in "
                + (signIn.passkeyConfirmation.map { "within the last \($0.shown)" } ?? "once"),
            line: line("passkeys", tenant)
        )
        if signIn.who != nil { noteAdmission(signIn, tenant) }
    }

    // MARK: The deletion of accounts

    private func noteDeletion(_ signIn: SignIn, _ tenant: Tenant) {
        guard let deletion = signIn.deletion else { return }
        var text =
            "it needs an access token of the tenant's own issuer that people have got by signing in here; tokens of its "
            + "clients get 403 not_allowed"
        if let web = signIn.web {
            text +=
                ". A session that was begun in a browser takes a sign-in within the last 15 minutes, and by the cookie "
                + "\(web.accessCookie) the request comes from the same site or a trusted origin, in observe mode too"
        }
        note(.endpoint, text, line: line("delete_account", tenant))
        var steps = ["all sessions end", "the account is removed"]
        if signIn.keepsProviderTokens { steps.append("what Apple and Google have given for it is taken back") }
        if let call = deletion.call { steps.append("the backend is told by \(call.method) \(Self.shown(call.path))") }
        note(
            .endpoint,
            "the deletion is kept first; then \(steps.joined(separator: ", ")), each tried until it is done",
            line: line("delete_account", tenant)
        )
        note(
            .endpoint,
            "the response is 202 with a receipt, to be read again at \(deletion.receiptPath)",
            line: line("delete_account", tenant)
        )
    }

    /// A URL without what may be secret.
    private static func withoutQuery(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

extension Endpoint {
    /// What it is, in words for people.
    var words: String {
        switch self {
        case .appleExchange: "exchange of Apple's tokens"
        case .googleExchange: "exchange of Google's tokens"
        case .namedExchange: "exchange of a provider's tokens"
        case .appleNotifications: "Apple's notifications"
        case .backChannelLogout: "logout tokens"
        case .signals: "security events"
        case .webLogin: "login in a browser"
        case .webCallback: "return from a provider"
        case .sessionRefresh: "refresh of a session"
        case .sessionValidate: "check of a session"
        case .sessionMe: "the signed-in user"
        case .sessionLogout: "sign-out"
        case .accountPage: "account page"
        case .passkeyScript: "script for passkeys"
        case .passkeySignIn: "sign-in with a passkey"
        case .accountDeletion: "deletion of an account"
        case .deletionReceipt: "receipt of a deletion"
        case .discovery: "the issuer's metadata"
        case .jwks: "the issuer's keys"
        case .authorize: "the issuer's authorization endpoint"
        case .appleCallback, .googleCallback, .namedCallback: "return from a provider to the issuer"
        case .token: "the issuer's token endpoint"
        case .revoke: "the issuer's revocation endpoint"
        case .introspect: "the issuer's introspection endpoint"
        case .userInfo: "the issuer's user info endpoint"
        case .logout: "logout at the issuer"
        }
    }
}
