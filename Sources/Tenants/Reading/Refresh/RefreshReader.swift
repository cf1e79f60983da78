import ConfigurationText

/// Reads `refresh`.
struct RefreshReader {
    let entry: DocumentNode.Entry
    let tenant: DocumentNode
    let from: [TokenSource]
    let identity: Identity
    /// The tenant's own issuer; nil if there is none, or if it cannot be read.
    let issuer: BuiltInIssuer?
    /// The names of the issuers that the tenant trusts; nil if they cannot be read.
    let trusted: [String]?

    private var node: DocumentNode { entry.value }

    /// - Returns: nil if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> RefreshRules? {
        guard case .map = node.content else { return nil }
        let source = readSource(session)
        let captures = TokenCaptureReader.read(node[Schema.refresh.vault].read(Schema.vault.capture) ?? [], session)
        let call = node.entry(Schema.refresh.call).flatMap { RefreshCallReader(entry: $0).read(session) }
        let delivery = node.entry(Schema.refresh.deliver).flatMap {
            RefreshDeliveryReader(entry: $0, from: from, identity: identity).read(session)
        }
        let adopted = readAdopted(call, delivery, session)
        let adoptedClients = readAdoptedClients(session)
        guard let call, let delivery else { return nil }
        checkSource(source, call, session)
        if case .builtIn = call.strategy { checkIssuer(session) }
        if case .cookie(let name)? = source {
            RotationCheck(cookie: name, call: call, delivery: delivery, node: node).check(session)
        }
        checkTriggers(session)
        return RefreshRules(
            onUnauthorized: node.read(Schema.refresh.on401),
            within: node.read(Schema.refresh.within),
            grace: node.read(Schema.refresh.grace),
            source: source ?? .none,
            call: call,
            delivery: delivery,
            captures: captures,
            withoutStore: readWithoutStore(call.strategy, session),
            adopted: adopted,
            adoptedClients: adoptedClients
        )
    }

    private func readAdopted(
        _ call: RefreshCall?,
        _ delivery: RefreshDelivery?,
        _ session: ReadingSession
    ) -> [String] {
        // Printed configurations have an empty list.
        guard let adopt = node.entry(Schema.refresh.adopt), !adopt.value.items.isEmpty else { return [] }
        return AdoptedIssuersReader(
            entry: adopt,
            refresh: node,
            hasIssuer: tenant[Schema.tenant.issuer] != nil,
            issuer: issuer,
            trusted: trusted,
            from: from
        ).read(call, delivery, session)
    }

    private func readAdoptedClients(_ session: ReadingSession) -> [String] {
        guard let clients = node.entry(Schema.refresh.adoptClients), !clients.value.items.isEmpty else { return [] }
        if node.entry(Schema.refresh.adopt)?.value.items.isEmpty ?? true {
            session.at(clients).error(
                "\"adopt_clients\" are apps of the issuers in \"adopt\": add that, or leave them out"
            )
        }
        return clients.value.items.compactMap { $0.filled?.text }
    }

    private func readWithoutStore(_ strategy: RefreshCall.Strategy, _ session: ReadingSession) -> RefreshWithoutStore {
        let defaultPolicy = strategy.defaultWithoutStore
        guard let given = node.entry(Schema.refresh.withoutStore) else { return defaultPolicy }
        if case .builtIn = strategy {
            session.at(given).error(
                "the tenant's own issuer has its sessions in the store, so that nothing is refreshed without it: leave "
                    + "\"without_store\" out"
            )
            return defaultPolicy
        }
        return node.read(Schema.refresh.withoutStore) ?? defaultPolicy
    }

    /// - Returns: nil if it is omitted or cannot be read.
    private func readSource(_ session: ReadingSession) -> RefreshTokenSource? {
        guard let value = node[Schema.refresh.from], let scalar = value.filled else { return nil }
        if scalar.text == "vault" { return .vault }
        let prefix = "cookie:"
        let name = String(scalar.text.dropFirst(prefix.count))
        if scalar.text.hasPrefix(prefix), NetworkText.isToken(name) { return .cookie(name: name) }
        let remedy =
            scalar.text.hasPrefix(prefix)
            ? "the name after the colon has letters, digits, \"-\" and \"_\"" : "write one of these"
        return session.at(value)
            .refuse("\"from\" must be cookie:NAME or vault, but \(scalar.shown) is neither: \(remedy)")
    }

    /// Checks that `from` suits the strategy.
    private func checkSource(_ source: RefreshTokenSource?, _ call: RefreshCall, _ session: ReadingSession) {
        let given = node.entry(Schema.refresh.from)
        switch call.strategy {
        case .bearer:
            if let given { session.at(given).error("send bearer sends the access token itself: leave \"from\" out") }
        case .refreshTokenJSON, .oauth2:
            if given == nil, let send = node[Schema.refresh.call]?[Schema.refreshCall.send] {
                session.at(send).error(
                    "send \(send.scalar?.text ?? "") needs a refresh token: say where it is with \"from: cookie:NAME\" "
                        + "or \"from: vault\" beside \"call\""
                )
            }
        case .builtIn:
            if source == .vault, let given {
                session.at(given.value).error(
                    "the tenant's own issuer goes by the session, so nothing is kept for it: leave \"from\" out, or "
                        + "write cookie:NAME"
                )
            }
        }
        checkVault(source, isOfUse: call.strategy.takesRefreshToken, session)
    }

    private func checkVault(_ source: RefreshTokenSource?, isOfUse: Bool, _ session: ReadingSession) {
        switch (source, node.entry(Schema.refresh.vault), node[Schema.refresh.from]) {
        case (.vault?, nil, let from?) where isOfUse:
            session.at(from).error(
                "\"from: vault\" needs to know which answers hold refresh tokens: add \"vault\" with \"capture\""
            )
        case (.cookie?, let vault?, _), (_, let vault?, nil):
            session.at(vault)
                .error("\"vault\" is never used without \"from: vault\": add that, or leave \"vault\" out")
        default: break
        }
    }

    /// Checks that the tenant has an issuer of its own, trusts it, and that its tokens live longer than `within`.
    private func checkIssuer(_ session: ReadingSession) {
        guard let send = node[Schema.refresh.call]?[Schema.refreshCall.send] else { return }
        guard tenant[Schema.tenant.issuer] != nil else {
            session.at(send)
                .error("send built_in asks the tenant's own issuer, and it has none: add an \"issuer\" section")
            return
        }
        guard let issuer else { return }
        if !issuer.isTrusted(by: tenant) {
            session.at(send).error(
                "send built_in gets tokens that are not good here: add \"preset: built-in\" to \"issuers\" of "
                    + "\"authenticate\""
            )
        }
        if node.read(Schema.refresh.within) >= issuer.access, let value = node[Schema.refresh.within] {
            session.at(value).warning(
                "tokens of \"issuer\" live \(issuer.access.shown), so that each request causes a refresh: give less"
            )
        }
    }

    private func checkTriggers(_ session: ReadingSession) {
        let isAhead = node.read(Schema.refresh.within) > .zero
        let isAfter = node.read(Schema.refresh.grace) > .zero
        let adopts = node[Schema.refresh.adopt]?.items.isEmpty == false
        guard !node.read(Schema.refresh.on401), !isAhead, !isAfter, !adopts else { return }
        session.at(entry)
            .warning("no request ever causes a refresh: leave \"on_401\" on, or give \"within\" or \"grace\"")
    }
}

extension RefreshCall.Strategy {
    /// Whether a refresh token is sent.
    var takesRefreshToken: Bool {
        switch self {
        case .refreshTokenJSON, .oauth2: true
        case .bearer, .builtIn: false
        }
    }
}
