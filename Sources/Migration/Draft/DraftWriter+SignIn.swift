extension DraftWriter {
    mutating func write(_ signIn: DraftSignIn) {
        lines.line(4, "issuer:", comment: "signs the tokens in the cookies; its keys are sealed with GATEHOUSE_KEY")
        write(6, "url", signIn.issuerURL)
        write(6, "audience", signIn.clientID)
        lines.line(6, "algorithm: ES256")
        write(6, "access", signIn.access)
        write(6, "refresh", signIn.refresh)
        lines.line(4, "sign_in:")
        if let provider = signIn.provider { write(provider, of: signIn) }
        if !signIn.admission.isForAll { write(signIn.admission) }
        lines.line(6, "web:")
        write(8, "login", signIn.login)
        write(8, "callback", signIn.callback)
        if signIn.provider == nil {
            lines.line(8, "provider: google")
            write(8, "client_id", signIn.clientID)
            write(8, "client_secret", signIn.clientSecret)
        }
        write(8, "after", signIn.after)
        writeCookies(signIn)
        if signIn.leadsNavigations {
            lines.line(6, "unauthenticated: { navigations: sign_in }", comment: "scripts and programs get 401")
        }
        lines.line(6, "endpoints:")
        lines.line(8, "me: \(YAMLLines.scalar(signIn.userInfo))")
        lines.line(8, "logout: \(YAMLLines.scalar(signIn.logout))", comment: "by POST")
        writeRefresh(signIn)
    }

    private mutating func write(_ provider: DraftSignInProvider, of signIn: DraftSignIn) {
        lines.line(6, "providers:")
        lines.line(8, "\(YAMLLines.scalar(provider.name)):")
        if let preset = provider.preset {
            lines.line(10, "preset: \(preset.preset)")
            for argument in preset.arguments { write(10, argument.key, DraftText(literal: argument.value)) }
        }
        if provider.preset?.knowsIssuer != true { write(10, "issuer", provider.issuer) }
        write(10, "jwks_url", provider.keysURL)
        write(10, "client_id", signIn.clientID)
        write(10, "client_secret", signIn.clientSecret)
        write(10, "scopes", provider.scopes)
    }

    private mutating func write(_ admission: DraftAdmission) {
        lines.line(6, "who:", comment: "all others are refused when they sign in")
        write(8, "email_domains", admission.domains)
        write(8, "emails_file", admission.emailsFile)
        write(8, "groups", admission.groups)
        write(8, "groups_claim", admission.groupsClaim)
    }

    private mutating func writeCookies(_ signIn: DraftSignIn) {
        lines.line(8, "cookies:")
        write(10, "access", DraftText(literal: signIn.accessCookie))
        write(10, "refresh", DraftText(literal: signIn.refreshCookie))
        write(10, "domain", signIn.cookieDomain)
        write(10, "same_site", signIn.sameSite)
    }

    private mutating func writeRefresh(_ signIn: DraftSignIn) {
        lines.line(4, "refresh:")
        lines.line(6, "grace: \(signIn.refresh.text)")
        lines.line(6, "from: \(YAMLLines.scalar("cookie:" + signIn.refreshCookie))")
        lines.line(6, "call: { send: built_in }")
        lines.line(6, "deliver:")
        lines.line(8, "cookies:")
        lines.line(10, "\(YAMLLines.scalar(signIn.accessCookie)): /access_token")
        lines.line(10, "\(YAMLLines.scalar(signIn.refreshCookie)): /refresh_token")
    }

    /// A list on one line; nothing for an empty one.
    private mutating func write(_ indent: Int, _ key: String, _ values: [DraftText]) {
        guard !values.isEmpty else { return }
        lines.line(
            indent,
            "\(key): \(YAMLLines.list(values.map(\.text)))",
            comment: values.compactMap(Self.comment).first
        )
    }
}
