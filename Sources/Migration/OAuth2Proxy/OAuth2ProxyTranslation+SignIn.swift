import Tenants

/// Who signs people in, by oauth2-proxy's `provider`.
enum OAuth2ProxySignIn: Sendable, Equatable {
    case google
    case gitHub
    /// - Parameters:
    ///   - name: Its key in `sign_in.providers`.
    ///   - preset: Of its issuer, if there is one.
    case openID(name: String, preset: String?)

    var isOpenID: Bool {
        if case .openID = self { true } else { false }
    }
}

extension OAuth2ProxyTranslation {
    private static let openIDProviders: [String: OAuth2ProxySignIn] = [
        "oidc": .openID(name: "oidc", preset: nil), "adfs": .openID(name: "adfs", preset: nil),
        "keycloak-oidc": .openID(name: "keycloak", preset: "keycloak"),
        "entra-id": .openID(name: "entra", preset: "entra"), "azure": .openID(name: "entra", preset: "entra"),
        "gitlab": .openID(name: "gitlab", preset: nil),
    ]

    /// nil for a provider that is not translated, or if the answers say whose tokens are trusted.
    var signInKind: OAuth2ProxySignIn? {
        guard answers.provider == nil, answers.issuer == nil else { return nil }
        let provider = setting("provider")?.value ?? "google"
        if provider == "google" { return .google }
        guard setting("client_id") != nil else { return nil }
        // GitHub Enterprise has addresses of its own.
        if provider == "github" { return setting("login_url") == nil ? .gitHub : nil }
        return issuerURL == nil ? nil : Self.openIDProviders[provider]
    }

    /// The `iss` of the OpenID provider.
    private var issuerURL: DraftText? {
        if let url = setting("oidc_issuer_url") { return DraftText(literal: url.value, url.origin) }
        return setting("provider")?.value == "gitlab" ? DraftText(literal: "https://gitlab.com") : nil
    }

    /// Whether everybody whom the gateway lets in has signed in there: callers with tokens of other issuers have not.
    var signsInAll: Bool { !isOn("skip_jwt_bearer_tokens") }

    /// Whether the translated sign-in says what a setting says.
    func isSaidBySignIn(_ setting: OAuth2ProxySetting) -> Bool {
        guard let kind = signInKind else { return false }
        switch setting.name {
        // An empty name restricts nobody here, but lets nobody in there.
        case "email_domains": return signsInAll && emailDomains != nil && admission(kind).asksForEmail
        case "authenticated_emails_file": return signsInAll && admission(kind).asksForEmail
        case "allowed_groups": return signsInAll && !admission(kind).groups.isEmpty
        case "oidc_groups_claim": return kind.isOpenID && (signsInAll || self.setting("allowed_groups") == nil)
        case "scope": return kind != .google
        case "cookie_domains": return cookieDomain != nil
        case "cookie_samesite": return sameSite != nil
        default: return false
        }
    }

    func texts(_ name: String) -> [DraftText] {
        settings.filter { $0.name == name }.flatMap { setting in
            setting.values.filter { !$0.isEmpty }.map { DraftText(literal: $0, setting.origin) }
        }
    }

    // MARK: The provider

    func signInProvider(_ kind: OAuth2ProxySignIn) -> DraftSignInProvider? {
        let scopes = texts("scope").flatMap { text in
            text.text.split(separator: " ").map { DraftText(literal: String($0), text.origin) }
        }
        switch kind {
        case .google: return nil
        case .gitHub:
            return DraftSignInProvider(name: "github", preset: PresetEntry(preset: "github"), scopes: scopes)
        case .openID(let name, let preset):
            guard let issuer = issuerURL else { return nil }
            var provider = DraftSignInProvider(name: name, issuer: issuer, scopes: scopes)
            if let preset, case .preset(let known)? = ProviderKind(rawValue: preset) {
                let entry = known.entry(issuer: issuer.text, audiences: [])
                if entry.knowsIssuer { provider.preset = entry }
            }
            provider.keysURL = setting("oidc_jwks_url").map { DraftText(literal: $0.value, $0.origin) }
            // oauth2-proxy asks for them too.
            let groups = texts("allowed_groups")
            if scopes.isEmpty, !groups.isEmpty {
                provider.scopes = ["openid", "email", "profile", "groups"].map { DraftText(literal: $0) }
                provider.scopes[3].origin = groups[0].origin
            }
            return provider
        }
    }

    // MARK: Who may sign in

    func admission(_ kind: OAuth2ProxySignIn) -> DraftAdmission {
        var admission = DraftAdmission(domains: emailDomains ?? [], emailsFile: texts("authenticated_emails_file").last)
        guard kind.isOpenID else { return admission }
        admission.groups = texts("allowed_groups")
        if !admission.groups.isEmpty { admission.groupsClaim = texts("oidc_groups_claim").last.map(Self.place) }
        return admission
    }

    /// nil where it lets everybody in, or says what `who` cannot.
    private var emailDomains: [DraftText]? {
        let domains = texts("email_domains")
        return domains.allSatisfy { Self.isDomain($0.text) } ? domains : nil
    }

    /// Not `*`, and not `.example.com`, which is all domains below.
    private static func isDomain(_ text: String) -> Bool {
        text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                switch byte | 0x20 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                }
            }
    }

    /// `realm_access.roles` is a claim in a claim there.
    private static func place(_ claim: DraftText) -> DraftText {
        guard claim.text.contains("."), !claim.text.contains("/") else { return claim }
        return DraftText(literal: "/" + claim.text.split(separator: ".").joined(separator: "/"), claim.origin)
    }

    // MARK: Cookies

    /// The longest of the domains that the host is in, as oauth2-proxy chooses it.
    var cookieDomain: DraftText? {
        let host = setting("redirect_url").flatMap { SourceURL($0.value) }?.host ?? answers.hosts.first ?? ""
        return texts("cookie_domains")
            .map { DraftText(literal: $0.text.hasPrefix(".") ? String($0.text.dropFirst()) : $0.text, $0.origin) }
            .filter { $0.text.contains(".") && (host == $0.text || host.hasSuffix(".\($0.text)")) }
            .max { $0.text.utf8.count < $1.text.utf8.count }
    }

    var sameSite: DraftText? {
        texts("cookie_samesite").last.flatMap { text in
            let value = text.text.lowercased()
            return ["lax", "strict", "none"].contains(value) ? DraftText(literal: value, text.origin) : nil
        }
    }
}
