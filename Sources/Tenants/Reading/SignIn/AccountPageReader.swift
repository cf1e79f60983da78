import ConfigurationText

/// Reads `account_page` and `passkeys` of `sign_in`.
struct AccountPageReader {
    /// `sign_in`.
    let node: DocumentNode
    /// The tenant's hosts, as they were read.
    let hosts: [HostPattern]

    /// What cannot be read is left out, and was reported.
    func read(_ signIn: inout SignIn, _ paths: inout EndpointPaths, _ session: ReadingSession) {
        signIn.accountPage = readPage(&paths, session)
        guard let entry = node.entry(Schema.signIn.passkeys) else { return }
        if node[Schema.signIn.accountPage] == nil {
            session.at(entry)
                .error("\"passkeys\" are made on the account page, and there is none: add \"account_page\"")
        }
        signIn.passkeys = readPasskeys(entry.value, session)
    }

    private func readPage(_ paths: inout EndpointPaths, _ session: ReadingSession) -> PathPattern? {
        guard let value = node[Schema.signIn.accountPage] else { return nil }
        guard let page = paths.read(Schema.signIn.accountPage, in: node, session) else { return nil }
        for path in AccountPagePath.allCases where node[Schema.signIn.passkeys] != nil {
            paths.add(page.below(path), of: value, key: Schema.signIn.accountPage, session)
        }
        guard node[Schema.signIn.web] != nil else {
            return session.at(value).refuse(
                "nobody can sign in to \"account_page\", which takes the cookies of \"web\": add that section"
            )
        }
        return page
    }

    private func readPasskeys(_ section: DocumentNode, _ session: ReadingSession) -> PasskeyRules? {
        let relyingParty = section[Schema.passkeys.relyingParty].flatMap { readRelyingParty($0, session) }
        let name = section[Schema.passkeys.name].flatMap { readName($0, session) }
        guard let relyingParty, let name else { return nil }
        let confirmation = section.read(Schema.passkeys.confirm)
        return PasskeyRules(relyingParty: relyingParty, name: name, confirmation: confirmation)
    }

    private func readRelyingParty(_ value: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = value.filled else { return nil }
        let name = scalar.text.lowercased()
        let fault = "\"rp_id\" must be a domain"
        let isName: Void? = session.at(value).value(of: try NetworkText.checkName(name), or: fault)
        guard isName != nil else { return nil }
        guard IPAddress(name) == nil else {
            return session.at(value).refuse("\(fault): browsers make no passkey for an address, so name the host")
        }
        let rules = PasskeyRules(relyingParty: name, name: "")
        let others = hosts.filter { !rules.apply(to: $0) }
        if !hosts.isEmpty, others.count == hosts.count {
            return session.at(value).refuse(
                "no passkey of \(scalar.shown) is used on \(others[0]): write that host, or a domain above it"
            )
        }
        if let other = others.first {
            session.at(value).warning(
                "no passkey of \(scalar.shown) is used on \(other): people sign in there as if there were none"
            )
        }
        return name
    }

    private func readName(_ value: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = value.filled else { return nil }
        guard PrintableText.isPrintable(scalar.text) else {
            return session.at(value)
                .refuse("\"name\" must be visible text on one line: leave control characters out")
        }
        return scalar.text
    }
}

extension PathPattern {
    /// A path below this one.
    public func below(_ path: AccountPagePath) -> String {
        (description.utf8.last == UInt8(ascii: "/") ? String(description.dropLast()) : description) + path.rawValue
    }
}

extension PasskeyRules {
    fileprivate func apply(to host: HostPattern) -> Bool {
        switch host {
        case .exact(let name): apply(toHost: name)
        case .oneLabelBelow(let parent): apply(toHost: parent)
        }
    }
}
