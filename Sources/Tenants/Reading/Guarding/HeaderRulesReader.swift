import ConfigurationText

/// Reads `headers`.
struct HeaderRulesReader {
    let from: [TokenSource]
    let identity: Identity
    let refresh: RefreshRules?

    func read(_ node: DocumentNode, _ session: ReadingSession) -> HeaderRules {
        HeaderRules(
            request: read(node[Schema.headers.request], session, problem: problemInRequests),
            response: read(node[Schema.headers.response], session, problem: problemInResponses),
            security: node.read(Schema.headers.security)
        )
    }

    /// - Parameter problem: Why the field with this folded name must not be changed, as the end of the message.
    private func read(
        _ node: DocumentNode?,
        _ session: ReadingSession,
        problem: (String) -> String?
    ) -> HeaderRules.Changes {
        var changes = HeaderRules.Changes()
        var places: [String: Position] = [:]
        func isValid(_ name: String, shown: String, _ position: Position) -> Bool {
            let folded = FieldNames.folded(name)
            if !NetworkText.isToken(name) {
                session.at(position).error("\(shown) is not a field name: write it like X-Served-By")
            } else if let problem = problem(folded) {
                session.at(position).error("\(shown) \(problem)")
            } else if let first = places[folded] {
                let place = session.place(of: first, from: position)
                session.at(position).error("\(shown) is the same field as in \(place): leave one out")
            } else {
                places[folded] = position
                return true
            }
            return false
        }
        for entry in node?[Schema.headerChanges.set]?.entries ?? []
        where isValid(entry.key, shown: "\"\(entry.key)\"", entry.keyPosition) {
            guard let scalar = entry.value.scalar else { continue }
            if let problem = Self.problem(inValue: scalar.text) {
                session.at(entry.value).error("the value of \"\(entry.key)\" \(problem)")
            } else {
                changes.set.append(HeaderRules.Field(name: entry.key, value: Secret(scalar.text)))
            }
        }
        for item in node?[Schema.headerChanges.remove]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            if isValid(scalar.text, shown: scalar.shown, item.position) { changes.remove.append(scalar.text) }
        }
        return changes
    }

    /// RFC 9110 section 5.5, without what recipients treat differently.
    private static func problem(inValue value: String) -> String? {
        if value.isEmpty { return "is empty: give one, or name the field in \"remove\"" }
        if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
            return "has a line break or another control character: a field has one line"
        }
        if value.utf8.contains(where: { $0 >= 0x80 }) { return "has characters beyond ASCII: encode them" }
        let ends = [value.utf8.first, value.utf8.last]
        if ends.contains(0x20) || ends.contains(0x09) {
            return "begins or ends with white space, which would be lost: leave it out"
        }
        return nil
    }

    // MARK: Fields that must not be changed

    private func problemInRequests(_ name: String) -> String? {
        if Self.framing.contains(name) { return Self.isFraming }
        if Self.written.contains(name) || name.hasPrefix("x-forwarded") || name.hasPrefix("x-verified-") {
            return "is written by the gateway: leave it out"
        }
        if name.hasPrefix("sec-websocket-") { return Self.isHandshake }
        if identity.headers.contains(where: { FieldNames.folded($0.name) == name }) {
            return "says who the caller is: change \"identity\" instead"
        }
        if mayHoldToken(name) {
            return "may hold the caller's token: see \"identity.token\" for whether the backend gets it"
        }
        if name == "accept-encoding", refresh?.captures.isEmpty == false {
            return "decides whether the answers that \"refresh.vault\" reads can be read: leave it out"
        }
        return nil
    }

    private func mayHoldToken(_ name: String) -> Bool {
        from.contains { source in
            switch source {
            case .bearer: name == "authorization"
            case .cookie: name == "cookie"
            case .header(let header): name == FieldNames.folded(header)
            case .query: false
            }
        }
    }

    private func problemInResponses(_ name: String) -> String? {
        if Self.framing.contains(name) || Self.content.contains(name) { return Self.isFraming }
        if name.hasPrefix("sec-websocket-") { return Self.isHandshake }
        if name.hasPrefix("access-control-") || name == "vary" { return "is written by \"cors\": use that" }
        if name.hasPrefix("grpc-") { return "is gRPC's, which ends with it: leave it out" }
        if Self.reservedInResponses.contains(name) || name.hasPrefix("ratelimit") {
            return "is part of what answers say, the gateway's own too: leave it out"
        }
        if let header = refresh?.delivery.header, FieldNames.folded(header) == name {
            return "brings clients their new tokens: change \"refresh.deliver\" instead"
        }
        return nil
    }

    private static let isFraming = "frames the message or is the connection's: leave it out"
    private static let isHandshake = "is part of the WebSocket handshake: leave it out"
    private static let framing: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection",
        "proxy-authorization", "proxy-authenticate", "te", "trailer", "upgrade", "expect", "http2-settings",
    ]
    private static let content: Set<String> = ["content-type", "content-encoding", "content-range", "date"]
    private static let written: Set<String> = [
        "x-request-id", "x-real-ip", "forwarded", "via", "traceparent", "tracestate", "x-client-certificate-subject",
    ]
    private static let reservedInResponses: Set<String> = [
        "set-cookie", "www-authenticate", "retry-after", "location", "allow", "dpop-nonce",
    ]
}
