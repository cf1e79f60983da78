import ConfigurationText

/// Reads `refresh.adopt`.
struct AdoptedIssuersReader {
    let entry: DocumentNode.Entry
    /// `refresh`.
    let refresh: DocumentNode
    /// Whether the tenant has an `issuer` section.
    let hasIssuer: Bool
    /// The tenant's own issuer; nil if there is none, or if it cannot be read.
    let issuer: BuiltInIssuer?
    /// The names of the issuers that the tenant trusts; nil if they cannot be read.
    let trusted: [String]?
    let from: [TokenSource]

    /// - Parameters:
    ///   - call: Nil if it cannot be read.
    ///   - delivery: The same.
    /// - Returns: In the order of the file, without those at fault, which were reported.
    func read(_ call: RefreshCall?, _ delivery: RefreshDelivery?, _ session: ReadingSession) -> [String] {
        checkIssuer(call, session)
        if let delivery { checkDelivery(delivery, session) }
        var issuers: [String] = []
        for item in entry.value.items {
            guard let scalar = item.filled else { continue }
            let name = scalar.text
            if issuers.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                session.at(item).error("\(scalar.shown) is listed twice: leave one out")
            } else if let own = issuer?.url, own.utf8.elementsEqual(name.utf8) {
                session.at(item).error(
                    "\(scalar.shown) is the tenant's own issuer, whose sessions it has: leave it out"
                )
            } else if let trusted, !trusted.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                session.at(item).error(
                    "\(scalar.shown) is no issuer that the tenant trusts, so that its tokens are refused: write one of "
                        + "\"issuers\" of \"authenticate\", or add it there"
                )
            } else {
                issuers.append(name)
            }
        }
        return issuers
    }

    private func checkIssuer(_ call: RefreshCall?, _ session: ReadingSession) {
        guard hasIssuer else {
            session.at(entry).error(
                "\"adopt\" gives sessions of the tenant's own issuer, and it has none: add an \"issuer\" section"
            )
            return
        }
        guard let call, let send = refresh[Schema.refresh.call]?[Schema.refreshCall.send] else { return }
        if case .builtIn = call.strategy { return }
        session.at(send).error(
            "the tenant's own issuer refreshes the sessions that \"adopt\" gives: write \"send: built_in\""
        )
    }

    private func checkDelivery(_ delivery: RefreshDelivery, _ session: ReadingSession) {
        let left = from.filter { !delivery.deliversSessions(to: $0) }
        guard !left.isEmpty else { return }
        let names = left.map(\.shown).joined(separator: ", ")
        let remedy =
            "add \"header\" to \"deliver\" for bearer clients, and for a cookie the same cookie with \"/access_token\""
        if left.count == from.count {
            session.at(entry).error("no client can be given a session, tokens come as \(names): \(remedy)")
        } else if left.contains(where: { if case .query = $0 { false } else { true } }) {
            session.at(entry).warning("clients with their token as \(names) are given no session: \(remedy)")
        }
    }
}

extension TokenSource {
    /// As `from` has it.
    fileprivate var shown: String {
        switch self {
        case .bearer: "bearer"
        case .cookie(let name): "cookie:\(name)"
        case .query(let name): "query:\(name)"
        case .header(let name): "header:\(name)"
        }
    }
}
