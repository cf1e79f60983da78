import ConfigurationText

/// Reads `identity`.
enum IdentityReader {
    static func read(_ node: DocumentNode, _ session: ReadingSession) -> Identity {
        let headers = node.given(Schema.identity.headers).map { readHeaders($0, session) }
        return Identity(headers: headers ?? [], token: node.read(Schema.identity.token))
    }

    private static func readHeaders(_ node: DocumentNode, _ session: ReadingSession) -> [Identity.Header] {
        var places: [String: Position] = [:]
        var headers: [Identity.Header] = []
        for entry in node.entries {
            let name = FieldNames.folded(entry.key)
            if !NetworkText.isToken(entry.key) {
                session.at(entry).error("\"\(entry.key)\" is not a field name: write it like X-User-Id")
            } else if FieldNames.isReserved(name) {
                session.at(entry).error(
                    "\"\(entry.key)\" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"
                )
            } else if let first = places[name] {
                let place = session.place(of: first, from: entry.keyPosition)
                session.at(entry).error("\"\(entry.key)\" is the same field as in \(place): leave one out")
            }
            places[name] = places[name] ?? entry.keyPosition
            if let claim = entry.value.scalar?.text { headers.append(Identity.Header(name: entry.key, claim: claim)) }
        }
        return headers
    }
}
