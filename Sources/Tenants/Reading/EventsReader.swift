import ConfigurationText
import Verification

/// Reads `gateway.events`.
enum EventsReader {
    /// Of a key: less can be guessed (Standard Webhooks, "Signature scheme").
    private static let minimumKeyLength = 24
    private static let mostSecrets = 4

    /// - Returns: Nil if a part is missing or malformed, which was reported.
    static func read(_ node: DocumentNode?, _ session: ReadingSession) -> EventSettings? {
        guard let node, case .map = node.content else { return nil }
        let url = node[Schema.events.url].flatMap {
            ProviderURLReader.read($0, name: "\"\(Schema.events.url.name)\"", session)
        }
        let types = readTypes(node, session)
        guard let secrets = readSecrets(node, session), let url else { return nil }
        return EventSettings(url: url, secrets: secrets, types: types)
    }

    private static func readTypes(_ node: DocumentNode, _ session: ReadingSession) -> [EventType] {
        let types = node.read(Schema.events.types)
        var known: Set<String> = []
        for item in node[Schema.events.types]?.items ?? [] {
            guard let text = item.scalar?.text, !known.insert(text).inserted else { continue }
            session.at(item).error("\"\(text)\" is listed twice: leave one out")
        }
        return types
    }

    private static func readSecrets(_ node: DocumentNode, _ session: ReadingSession) -> [Secret]? {
        if let file = node[Schema.events.secretFile] {
            if let value = node.entry(Schema.events.secret) {
                session.at(value.keyPosition).error("there is a \"secret_file\" too: leave one of the two out")
                return nil
            }
            return session.content(of: file, name: "\"secret_file\"").flatMap {
                secrets(in: $0, name: "\"secret_file\"", file, session)
            }
        }
        guard let value = node[Schema.events.secret], let scalar = value.scalar else { return nil }
        return secrets(in: Array(scalar.text.utf8), name: "\"secret\"", value, session)
    }

    /// The secrets in a text, with white space between them.
    private static func secrets(
        in text: [UInt8],
        name: String,
        _ node: DocumentNode,
        _ session: ReadingSession
    ) -> [Secret]? {
        let secrets = text.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.map { Secret(Array($0)) }
        guard !secrets.isEmpty else {
            return session.at(node).refuse("\(name) is empty: fill it in, \(Self.remedy)")
        }
        guard secrets.count <= mostSecrets else {
            return session.at(node).refuse("\(name) holds more than \(mostSecrets) secrets: leave old ones out")
        }
        for secret in secrets {
            guard let key = secret.webhookKey else {
                return session.at(node).refuse("\(name) has \"whsec_\" and then no base64: make a new one, \(remedy)")
            }
            guard key.count >= minimumKeyLength else {
                return session.at(node).refuse(
                    "\(name) stands for \(key.count) bytes, and a webhook's needs at least \(minimumKeyLength): make a new "
                        + "one, \(remedy)"
                )
            }
            session.checkExample(secret, name: name, node)
        }
        return secrets
    }

    private static let remedy = "\"whsec_\" and what \"openssl rand -base64 32\" gives"
}
