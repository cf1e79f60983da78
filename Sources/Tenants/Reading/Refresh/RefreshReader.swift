/// Reads `refresh`.
struct RefreshReader {
    let entry: DocumentNode.Entry
    let tenant: DocumentNode
    let from: [TokenSource]
    let identity: Identity
    /// What the tenant's `issuer` says; nil where there is none or it cannot be read.
    let issuer: BuiltInIssuer?

    private var node: DocumentNode { entry.value }

    /// - Returns: nil where it cannot be read, which was reported.
    func read(_ session: inout ReadingSession) -> RefreshRules? {
        guard case .map = node.content else { return nil }
        let source = readSource(&session)
        let captures = TokenCaptureReader.read(node[Schema.refresh.vault].read(Schema.vault.capture) ?? [], &session)
        let call = node[Schema.refresh.call].flatMap { call in
            RefreshCallReader(node: call, place: node.entry(Schema.refresh.call)?.keyPlace ?? call.place).read(&session)
        }
        let delivery = node.entry(Schema.refresh.deliver).flatMap {
            RefreshDeliveryReader(entry: $0, from: from, identity: identity).read(&session)
        }
        guard let call, let delivery else { return nil }
        judgeSource(source, call, &session)
        if case .builtIn = call.strategy { judgeIssuer(&session) }
        if case .cookie(let name)? = source {
            RotationCheck(cookie: name, call: call, delivery: delivery, node: node).check(&session)
        }
        judgeTriggers(&session)
        return RefreshRules(
            onUnauthorized: node.read(Schema.refresh.on401),
            within: node.read(Schema.refresh.within),
            grace: node.read(Schema.refresh.grace),
            source: source ?? .none,
            call: call,
            delivery: delivery,
            captures: captures,
            withoutStore: readWithoutStore(call.strategy, &session)
        )
    }

    private func readWithoutStore(
        _ strategy: RefreshCall.Strategy,
        _ session: inout ReadingSession
    ) -> RefreshWithoutStore {
        let standard = strategy.standardWithoutStore
        guard let given = node.entry(Schema.refresh.withoutStore) else { return standard }
        if case .builtIn = strategy {
            session.findings.error(
                given.keyPlace,
                "the tenant's own issuer has its sessions in the store, so that nothing is refreshed without it: leave "
                    + "\"without_store\" out"
            )
            return standard
        }
        return node.read(Schema.refresh.withoutStore) ?? standard
    }

    /// - Returns: nil where it is not given, or cannot be read.
    private func readSource(_ session: inout ReadingSession) -> RefreshTokenSource? {
        guard let value = node[Schema.refresh.from], let scalar = value.filled else { return nil }
        if scalar.text == "vault" { return .vault }
        let prefix = "cookie:"
        let name = String(scalar.text.dropFirst(prefix.count))
        if scalar.text.hasPrefix(prefix), NetworkText.isToken(name) { return .cookie(name: name) }
        let remedy =
            scalar.text.hasPrefix(prefix)
            ? "the name after the colon has letters, digits, \"-\" and \"_\"" : "write one of these"
        return session.refuse(
            value.place,
            "\"from\" must be cookie:NAME or vault, but \(scalar.shown) is neither: \(remedy)"
        )
    }

    /// Whether the refresh token comes from where the strategy can use it.
    private func judgeSource(_ source: RefreshTokenSource?, _ call: RefreshCall, _ session: inout ReadingSession) {
        let given = node.entry(Schema.refresh.from)
        switch call.strategy {
        case .bearer:
            if let given {
                session.findings.error(
                    given.keyPlace,
                    "send bearer sends the access token itself: leave \"from\" out"
                )
            }
        case .refreshTokenJSON, .oauth2:
            if given == nil, let send = node[Schema.refresh.call]?[Schema.refreshCall.send] {
                session.findings.error(
                    send.place,
                    "send \(send.scalar?.text ?? "") needs a refresh token: say where it is with \"from: "
                        + "cookie:NAME\" or \"from: vault\" beside \"call\""
                )
            }
        case .builtIn:
            if source == .vault, let given {
                session.findings.error(
                    given.value.place,
                    "the tenant's own issuer goes by the session, so nothing is kept for it: leave \"from\" out, "
                        + "or write cookie:NAME"
                )
            }
        }
        judgeVault(source, isOfUse: call.strategy.takesRefreshToken, &session)
    }

    private func judgeVault(_ source: RefreshTokenSource?, isOfUse: Bool, _ session: inout ReadingSession) {
        switch (source, node.entry(Schema.refresh.vault), node[Schema.refresh.from]) {
        case (.vault?, nil, let from?) where isOfUse:
            session.findings.error(
                from.place,
                "\"from: vault\" needs to know which answers hold refresh tokens: add \"vault\" with \"capture\""
            )
        case (.cookie?, let vault?, _), (_, let vault?, nil):
            session.findings.error(
                vault.keyPlace,
                "\"vault\" is never looked into without \"from: vault\": add that, or leave \"vault\" out"
            )
        default: break
        }
    }

    /// Whether the tenant has an issuer of its own, whose tokens it takes and which lets them live long enough.
    private func judgeIssuer(_ session: inout ReadingSession) {
        guard let send = node[Schema.refresh.call]?[Schema.refreshCall.send] else { return }
        guard tenant[Schema.tenant.issuer] != nil else {
            session.findings.error(
                send.place,
                "send built_in asks the tenant's own issuer, and it has none: add an \"issuer\" section"
            )
            return
        }
        guard let issuer else { return }
        if !issuer.isTrusted(by: tenant) {
            session.findings.error(
                send.place,
                "send built_in gets tokens that are not good here: add \"preset: built-in\" to \"issuers\" of "
                    + "\"authenticate\""
            )
        }
        if node.read(Schema.refresh.within) >= issuer.access, let place = node[Schema.refresh.within]?.place {
            session.findings.warning(
                place,
                "tokens of \"issuer\" live \(issuer.access.shown), so that each request leads to a refresh: give less"
            )
        }
    }

    private func judgeTriggers(_ session: inout ReadingSession) {
        let isAhead = node.read(Schema.refresh.within) > .zero
        let isAfter = node.read(Schema.refresh.grace) > .zero
        guard !node.read(Schema.refresh.on401), !isAhead, !isAfter else { return }
        session.findings.warning(
            entry.keyPlace,
            "nothing ever leads to a refresh: leave \"on_401\" on, or give \"within\" or \"grace\""
        )
    }
}

extension RefreshCall.Strategy {
    /// Whether a refresh token is sent to an address.
    var takesRefreshToken: Bool {
        switch self {
        case .refreshTokenJSON, .oauth2: true
        case .bearer, .builtIn: false
        }
    }
}
