import ConfigurationText
import Verification

/// Reads `signals`.
struct SignalsReader {
    /// Bytes of the shortest `bearer`.
    private static let shortestBearer = 16

    /// The tenant's own; nil if it has none.
    let issuer: BuiltInIssuer?

    func read(_ items: [DocumentNode], _ session: ReadingSession) -> [SignalTransmitter] {
        var transmitters: [SignalTransmitter] = []
        for item in items {
            guard let transmitter = read(item, session) else { continue }
            if transmitters.contains(where: { $0.issuer.utf8.elementsEqual(transmitter.issuer.utf8) }),
                let name = item[Schema.signal.issuer]
            {
                session.at(name).error("this issuer is listed twice in \"signals\": keep one, with all its audiences")
                continue
            }
            transmitters.append(transmitter)
        }
        return transmitters
    }

    private func read(_ node: DocumentNode, _ session: ReadingSession) -> SignalTransmitter? {
        let name = readIssuer(node, session)
        let audiences = node[Schema.signal.audience].flatMap(readAudiences)
        let algorithms = readAlgorithms(node, session)
        let bearer = node[Schema.signal.bearer].map { readBearer($0, session) }
        let keys = keySource(node, session).flatMap { readKeys($0, node, algorithms ?? [], session) }
        guard let name, let audiences, let algorithms, let keys else { return nil }
        if case .some(nil) = bearer { return nil }
        return SignalTransmitter(
            issuer: name,
            audiences: audiences,
            algorithms: algorithms,
            keys: keys.keys,
            source: keys.source,
            bearer: bearer ?? nil
        )
    }

    private func readIssuer(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        guard let value = node[Schema.signal.issuer], let name = value.filled?.text else { return nil }
        if let issuer, issuer.url.utf8.elementsEqual(name.utf8) {
            return session.at(value).refuse(
                "this is the tenant's own issuer, whose sessions the gateway ends itself: leave it out"
            )
        }
        return name
    }

    /// - Returns: nil if one is empty, which the schema's check has reported.
    private func readAudiences(_ node: DocumentNode) -> [String]? {
        let audiences = node.scalar.map { [$0.text] } ?? node.items.compactMap { $0.scalar?.text }
        return audiences.isEmpty || audiences.contains("") ? nil : audiences
    }

    private func readAlgorithms(_ node: DocumentNode, _ session: ReadingSession) -> [SignatureAlgorithm]? {
        let algorithms = node.read(Schema.signal.algorithms)
        guard let secret = algorithms.first(where: \.isSymmetric) else { return algorithms }
        return session.at(node[Schema.signal.algorithms] ?? node).refuse(
            "\(secret.rawValue) is signed with a secret, which a transmitter would have to share: use RS256, ES256 or "
                + "the like"
        )
    }

    /// - Returns: nil if it cannot be used, which was reported.
    private func readBearer(_ node: DocumentNode, _ session: ReadingSession) -> Secret? {
        guard let text = ClientText.read(node, name: Schema.signal.bearer.name, session) else { return nil }
        guard text.utf8.count >= Self.shortestBearer else {
            return session.at(node).refuse(
                "\"bearer\" must have \(Self.shortestBearer) bytes or more: make one with openssl rand -hex 16"
            )
        }
        let secret = Secret(text)
        session.checkExample(secret, name: "\"bearer\"", node)
        return secret
    }

    /// The one key that says where the keys are.
    private func keySource(_ node: DocumentNode, _ session: ReadingSession) -> DocumentNode.Entry? {
        let names = [KeySourceName.keySetURL, .keySetFile, .discovery]
        let given = names.compactMap { name in node.entries.first { $0.key == name.rawValue } }
            .filter { $0.key != KeySourceName.discovery.rawValue || node.read(Schema.signal.discovery) != false }
        let choices = names.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard let first = given.first else {
            return session.at(node).refuse("this transmitter has no keys: give one of \(choices)")
        }
        guard given.count == 1 else {
            return session.at(given[1]).refuse(
                "this transmitter has keys from \"\(first.key)\" and from \"\(given[1].key)\": keep exactly one of "
                    + choices
            )
        }
        return first
    }

    private func readKeys(
        _ source: DocumentNode.Entry,
        _ node: DocumentNode,
        _ algorithms: [SignatureAlgorithm],
        _ session: ReadingSession
    ) -> SourcedKeys? {
        guard let kind = KeySourceName(rawValue: source.key), let issuer = node[Schema.signal.issuer] else {
            return nil
        }
        return KeySourceReader.read(
            kind,
            source,
            algorithms,
            issuer: issuer,
            allowsPlainHTTP: false,
            session
        )
    }
}
