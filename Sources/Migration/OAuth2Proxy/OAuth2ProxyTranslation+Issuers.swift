import Tenants

/// Who signs the tokens of the translated tenants.
struct OAuth2ProxyIssuers {
    /// Trusted by all of them.
    var trusted: [DraftIssuer]
    /// Of the first tenant; the others trust its tokens.
    var signIn: DraftSignIn?
    var takesBearer: Bool

    func add(to tenant: inout DraftTenant, isFirst: Bool) {
        tenant.issuers = trusted
        if takesBearer { tenant.tokenPlaces = [DraftText(literal: "bearer")] }
        guard let signIn else { return }
        tenant.tokenPlaces.append(DraftText(literal: "cookie:\(signIn.accessCookie)"))
        if isFirst {
            tenant.signIn = signIn
            tenant.issuers.insert(DraftIssuer(preset: PresetEntry(preset: "built-in")), at: 0)
        } else {
            let keys = DraftText(literal: "\(signIn.issuerURL.text)/oauth2/jwks.json", remark: "the first tenant's own")
            tenant.issuers.insert(
                DraftIssuer(
                    issuer: signIn.issuerURL,
                    audiences: [signIn.clientID],
                    algorithms: ["ES256"],
                    keys: .setURL(keys)
                ),
                at: 0
            )
        }
    }
}

extension OAuth2ProxyTranslation {
    mutating func issuers(host: DraftText) throws(UntranslatableFile) -> OAuth2ProxyIssuers {
        let provider = setting("provider")
        let kind = signInKind
        let takesBearer = kind == nil || isOn("skip_jwt_bearer_tokens")
        var trusted = extraIssuers()
        if let given = answers.trustedIssuer { trusted.insert(given, at: 0) }
        if kind != .google, takesBearer, answers.trustedIssuer == nil, let own = providerIssuer() {
            trusted.insert(own, at: 0)
        }
        trusted = Self.withoutDuplicates(trusted)
        noteSecret(isUsed: kind != nil)
        if let kind {
            return OAuth2ProxyIssuers(
                trusted: takesBearer ? trusted : [],
                signIn: signIn(host: host, kind),
                takesBearer: takesBearer
            )
        }
        let origin = provider?.origin ?? Origin(file: file, line: 1)
        draft.note(
            .lost,
            origin,
            "provider",
            "the sign-in of browsers is not translated: see sign_in.providers; tokens in \"Authorization: Bearer\" are "
                + "verified"
        )
        guard !trusted.isEmpty else {
            throw UntranslatableFile(
                origin,
                "no oidc_issuer_url says who signs the tokens: add --provider, --issuer and --audience"
            )
        }
        return OAuth2ProxyIssuers(trusted: trusted, signIn: nil, takesBearer: true)
    }

    private func extraIssuers() -> [DraftIssuer] {
        var issuers: [DraftIssuer] = []
        for setting in settings where setting.name == "extra_jwt_issuers" {
            for value in setting.values {
                let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                issuers.append(
                    DraftIssuer(
                        issuer: DraftText(literal: parts[0], setting.origin),
                        audiences: [DraftText(literal: parts[1], setting.origin)],
                        algorithms: algorithms,
                        keys: .discovery
                    )
                )
            }
        }
        return issuers
    }

    private var algorithms: [String] { answers.algorithms.isEmpty ? ["RS256"] : answers.algorithms }

    private mutating func providerIssuer() -> DraftIssuer? {
        guard let url = setting("oidc_issuer_url"), let client = setting("client_id") else { return nil }
        let extra = setting("oidc_extra_audiences")
        let audiences =
            [DraftText(literal: client.value, client.origin)]
            + (extra?.values.map { DraftText(literal: $0, client.origin) } ?? [])
        let keys = setting("oidc_jwks_url").map { DraftIssuer.Keys.setURL(DraftText(literal: $0.value, $0.origin)) }
        draft.note(
            .changed,
            url.origin,
            "oidc_issuer_url",
            "its tokens are taken with \(algorithms.joined(separator: ", ")) only: change \"algorithms\" if they have another"
        )
        return DraftIssuer(
            issuer: DraftText(literal: url.value, url.origin),
            audiences: audiences,
            algorithms: algorithms,
            keys: keys ?? .discovery
        )
    }

    private static func withoutDuplicates(_ issuers: [DraftIssuer]) -> [DraftIssuer] {
        var kept: [DraftIssuer] = []
        for issuer in issuers {
            if let name = issuer.issuer?.text, let index = kept.firstIndex(where: { $0.issuer?.text == name }) {
                for audience in issuer.audiences
                where !kept[index].audiences.contains(where: { $0.text == audience.text }) {
                    kept[index].audiences.append(audience)
                }
            } else {
                kept.append(issuer)
            }
        }
        return kept
    }

    private mutating func noteSecret(isUsed: Bool) {
        for name in ["client_secret", "client_secret_file"] {
            guard let setting = setting(name) else { continue }
            let text =
                isUsed ? "export it as CLIENT_SECRET: no secret is written" : "not needed: only the sign-in has it"
            draft.note(.changed, setting.origin, name, text)
        }
    }

    private static let issuersCallback = "/oauth2/callback"

    private mutating func signIn(host: DraftText, _ kind: OAuth2ProxySignIn) -> DraftSignIn {
        let prefix = setting("proxy_prefix")?.value ?? "/oauth2"
        let redirect = setting("redirect_url")
        let url = redirect.flatMap { SourceURL($0.value) }
        let site = url?.origin ?? "https://\(host.text)"
        let provider = signInProvider(kind)
        var callback = url.flatMap { $0.path.isEmpty ? nil : $0.path } ?? "\(prefix)/callback"
        // Below it the providers return to the issuer's own page.
        if provider != nil, callback == Self.issuersCallback { callback = "\(prefix)/return" }
        let client = setting("client_id")
        let leads = !isOn("force_json_errors")
        draft.note(
            .changed,
            setting("provider")?.origin ?? Origin(file: file, line: 1),
            "provider",
            leads
                ? "browsers that open a page are led to \(prefix)/start, all else gets 401; the gateway needs GATEHOUSE_KEY"
                : "whoever is not signed in gets 401: the app leads browsers to \(prefix)/start; the gateway needs "
                    + "GATEHOUSE_KEY"
        )
        if let provider {
            draft.note(
                .changed,
                redirect?.origin ?? Origin(file: file, line: 1),
                "redirect_url",
                "register \(site)\(callback)/\(provider.name) at the provider: each returns to an address of its own"
            )
        }
        let clientID = client.map { DraftText(literal: $0.value, $0.origin) } ?? DraftText(variable: "CLIENT_ID")
        return DraftSignIn(
            provider: provider,
            clientID: clientID,
            clientSecret: DraftText(variable: "CLIENT_SECRET"),
            admission: admission(kind),
            login: DraftText(literal: "\(prefix)/start"),
            callback: DraftText(literal: callback, redirect?.origin),
            after: DraftText(literal: "\(site)/"),
            logout: "\(prefix)/sign_out",
            userInfo: "\(prefix)/userinfo",
            cookie: setting("cookie_name")?.value ?? "_oauth2_proxy",
            cookieDomain: cookieDomain,
            sameSite: sameSite,
            leadsNavigations: leads,
            issuerURL: DraftText(literal: site),
            access: duration("cookie_refresh", most: 86_400_000, otherwise: "1h"),
            refresh: duration("cookie_expire", most: 365 * 86_400_000, otherwise: "7d")
        )
    }

    private func duration(_ name: String, most: Int, otherwise: String) -> DraftText {
        guard let setting = setting(name), let milliseconds = DurationText.milliseconds(setting.value), milliseconds > 0
        else { return DraftText(literal: otherwise) }
        let seconds = max(1000, min(milliseconds, most)) / 1000 * 1000
        return DraftText(literal: DurationText.written(milliseconds: seconds), setting.origin)
    }
}
