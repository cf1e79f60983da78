import ConfigurationText

/// Reads `cors`.
enum CrossOriginReader {
    static func read(_ entry: DocumentNode.Entry, _ session: ReadingSession) -> CrossOriginRules {
        let node = entry.value
        let allowsCredentials = node.read(Schema.cors.credentials)
        return CrossOriginRules(
            origins: readOrigins(node[Schema.cors.origins]?.items ?? [], allowsCredentials, session),
            allowsCredentials: allowsCredentials,
            maxAge: node.read(Schema.cors.maxAge),
            exposedFields: readExposed(node[Schema.cors.expose]?.items ?? [], session),
            line: entry.keyPosition.sourceLine
        )
    }

    private static func readOrigins(
        _ items: [DocumentNode],
        _ allowsCredentials: Bool,
        _ session: ReadingSession
    ) -> [String] {
        guard let any = items.first(where: { $0.scalar?.text == CrossOriginRules.anyOrigin }) else {
            return OriginText.read(items, session)
        }
        if allowsCredentials {
            session.at(any).error(
                "\"*\" with \"credentials\" would let every site act for who is signed in: name the origins, like "
                    + "https://app.example.com"
            )
        } else if items.count > 1 {
            session.at(any).error("\"*\" stands for every origin, those beside it too: leave \"*\" out")
        }
        return [CrossOriginRules.anyOrigin]
    }

    private static func readExposed(_ items: [DocumentNode], _ session: ReadingSession) -> [String] {
        var names: [String] = []
        for item in items {
            guard let scalar = item.filled else { continue }
            if !NetworkText.isToken(scalar.text) || scalar.text == "*" {
                session.at(item).error("\(scalar.shown) is not a field name: write it like X-Total-Count")
            } else if !names.contains(where: { $0.lowercased() == scalar.text.lowercased() }) {
                names.append(scalar.text)
            }
        }
        return names
    }
}
