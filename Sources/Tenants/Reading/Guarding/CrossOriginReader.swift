/// Reads `cors`.
enum CrossOriginReader {
    static func read(_ entry: DocumentNode.Entry, _ session: inout ReadingSession) -> CrossOriginRules {
        let node = entry.value
        let allowsCredentials = node.boolean("credentials") ?? false
        return CrossOriginRules(
            origins: readOrigins(node["origins"]?.items ?? [], allowsCredentials, &session),
            allowsCredentials: allowsCredentials,
            maxAge: node.duration("max_age") ?? .seconds(600),
            exposedFields: readExposed(node["expose"]?.items ?? [], &session),
            line: entry.keyPlace.line
        )
    }

    private static func readOrigins(
        _ items: [DocumentNode],
        _ allowsCredentials: Bool,
        _ session: inout ReadingSession
    ) -> [String] {
        guard let any = items.first(where: { $0.scalar?.text == CrossOriginRules.anyOrigin }) else {
            return OriginText.read(items, &session)
        }
        if allowsCredentials {
            session.findings.error(
                any.place,
                "\"*\" with \"credentials\" would let every site act for who is signed in: name the origins, like "
                    + "https://app.example.com, or leave \"credentials\" out"
            )
        } else if items.count > 1 {
            session.findings.error(any.place, "\"*\" stands for every origin: leave the others out, or \"*\"")
        }
        return [CrossOriginRules.anyOrigin]
    }

    private static func readExposed(_ items: [DocumentNode], _ session: inout ReadingSession) -> [String] {
        var names: [String] = []
        for item in items {
            guard let scalar = item.scalar, !scalar.text.isEmpty else { continue }
            if !NetworkText.isToken(scalar.text) || scalar.text == "*" {
                session.findings.error(item.place, "\(scalar.shown) is no field name: write it like X-Total-Count")
            } else if !names.contains(where: { $0.lowercased() == scalar.text.lowercased() }) {
                names.append(scalar.text)
            }
        }
        return names
    }
}
