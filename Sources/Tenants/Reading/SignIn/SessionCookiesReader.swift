import ConfigurationText

/// Reads `cookies` of `sign_in.web`.
struct SessionCookiesReader {
    struct Cookies {
        /// The names with their prefix.
        var access: String
        var refresh: String
        var rules: CookieRules
    }

    let node: DocumentNode
    /// Of the tenant.
    let hosts: [HostPattern]
    /// Where the tenant looks for tokens (`from` of `authenticate`).
    let from: [TokenSource]
    /// The tenant's `refresh`; nil if it has none.
    let refresh: RefreshRules?

    /// - Returns: Nil after an error, which has been reported to `session`.
    func read(_ session: ReadingSession) -> Cookies? {
        let access = readName(Schema.sessionCookies.access, session)
        let refresh = readName(Schema.sessionCookies.refresh, session)
        let domain = readDomain(session)
        guard let access, let refresh else { return nil }
        guard access != refresh else {
            if let value = node[Schema.sessionCookies.refresh] {
                session.at(value).error("\"refresh\" has the name of \"access\": give each cookie one of its own")
            }
            return nil
        }
        if let value = node[Schema.sessionCookies.access] { check(access: access, value, session) }
        if case .cookie(let name)? = self.refresh?.source, name != refresh,
            let value = node[Schema.sessionCookies.refresh]
        {
            session.at(value).warning(
                "\"from\" of the tenant's \"refresh\" names another cookie, so that these sessions are not renewed: "
                    + "use one name"
            )
        }
        let rules = CookieRules(domain: domain, sameSite: node.read(Schema.sessionCookies.sameSite))
        return Cookies(access: access, refresh: refresh, rules: rules)
    }

    private func readName(_ key: Key<String?>, _ session: ReadingSession) -> String? {
        guard let value = node[key], let scalar = value.filled else { return nil }
        guard NetworkText.isToken(scalar.text) else {
            return session.at(value).refuse(
                "\"\(key.name)\" is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, \"-\" and \"_\""
            )
        }
        let own = CookieRules.Prefix.allCases.first { scalar.text.lowercased().hasPrefix($0.rawValue.lowercased()) }
        let prefix = node.read(Schema.sessionCookies.prefix)
        if prefix != nil, let own {
            return session.at(value).refuse(
                "\"prefix\" is put before the name, which begins with \"\(own.rawValue)\" itself: leave one of them out"
            )
        }
        // Browsers compare the prefix whatever its case, and drop a cookie that breaks its rules.
        if (prefix ?? own) == .host, let domain = node.entry(Schema.sessionCookies.domain) {
            session.at(domain).error(
                "browsers drop a cookie whose name begins with \"__Host-\" if it has a domain: leave \"domain\" out, or use "
                    + "the prefix \"__Secure-\""
            )
        }
        return (prefix?.rawValue ?? "") + scalar.text
    }

    /// All hosts of the tenant have to be in the domain: browsers drop a cookie for another one.
    private func readDomain(_ session: ReadingSession) -> String? {
        guard let value = node[Schema.sessionCookies.domain], let scalar = value.filled else { return nil }
        let domain = scalar.text.lowercased()
        guard !domain.hasPrefix(".") else {
            return session.at(value).refuse("\"domain\" begins with a dot, which it needs no more: leave it out")
        }
        let fault = "\"domain\" is no host's name"
        guard session.at(value).value(of: try NetworkText.checkName(domain), or: fault) != nil else { return nil }
        guard domain.contains("."), IPAddress(domain) == nil else {
            return session.at(value).refuse(
                "browsers take no cookie for all of \"\(scalar.text)\": name a domain of yours, like example.com"
            )
        }
        guard let other = hosts.first(where: { !$0.isWithin(domain) }) else { return domain }
        return session.at(value).refuse(
            "browsers drop a cookie that \(other) sets for \(scalar.shown): name a domain that all \"hosts\" are in"
        )
    }

    /// Warns if requests do not take this cookie as a token, or if a refresh does not renew it.
    private func check(access: String, _ node: DocumentNode, _ session: ReadingSession) {
        if !from.contains(.cookie(name: access)) {
            session.at(node).warning(
                "no token is taken from this cookie: add \"cookie:NAME\" with its name to \"from\" of \"authenticate\""
            )
        } else if let refresh, !refresh.delivery.cookies.contains(where: { $0.name == access }) {
            session.at(node).warning("a refresh does not renew this cookie: add it to \"cookies\" of \"deliver\"")
        }
    }
}

extension HostPattern {
    /// Whether each host of the pattern is the domain or below it.
    fileprivate func isWithin(_ domain: String) -> Bool {
        switch self {
        case .exact(let host), .oneLabelBelow(let host): host == domain || host.hasSuffix(".\(domain)")
        }
    }
}
