/// Reads `identity`.
enum IdentityReader {
    /// Fields that are the message's framing, the connection's, the client's credentials, or set by the gateway itself.
    private static let reserved: Set<String> = [
        "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "keep-alive",
        "proxy-connection", "proxy-authorization", "proxy-authenticate", "te", "trailer", "upgrade", "expect",
        "authorization", "cookie", "set-cookie", "x-request-id", "forwarded", "traceparent", "tracestate", "via",
        "date", "x-client-certificate-subject",
    ]

    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Identity {
        var identity = Identity()
        if let headers = node["headers"] { identity.headers = readHeaders(headers, &session) }
        identity.token = node.text("token").flatMap(Identity.TokenForwarding.init(rawValue:)) ?? .keep
        return identity
    }

    private static func readHeaders(_ node: DocumentNode, _ session: inout ReadingSession) -> [Identity.Header] {
        var lines: [String: Int] = [:]
        var headers: [Identity.Header] = []
        for entry in node.entries {
            // Backends that read fields as environment variables take `_` for `-`.
            let name = String(entry.key.lowercased().map { $0 == "_" ? "-" : $0 })
            if !NetworkText.isToken(entry.key) {
                session.findings.error(entry.keyPlace, "\"\(entry.key)\" is no field name: write it like X-User-Id")
            } else if reserved.contains(name) || name.hasPrefix("x-forwarded-") || name.hasPrefix("sec-websocket-") {
                session.findings.error(
                    entry.keyPlace,
                    "\"\(entry.key)\" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"
                )
            } else if let line = lines[name] {
                session.findings.error(
                    entry.keyPlace,
                    "\"\(entry.key)\" is the same field as in line \(line): leave one out"
                )
            }
            lines[name] = lines[name] ?? entry.keyPlace.line
            if let claim = entry.value.scalar?.text { headers.append(Identity.Header(name: entry.key, claim: claim)) }
        }
        return headers
    }
}
