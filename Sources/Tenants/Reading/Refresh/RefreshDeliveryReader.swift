import ConfigurationText
import Verification

/// Reads `refresh.deliver`.
struct RefreshDeliveryReader {
    let entry: DocumentNode.Entry
    let from: [TokenSource]
    let identity: Identity

    private var node: DocumentNode { entry.value }

    func read(_ session: ReadingSession) -> RefreshDelivery? {
        guard case .map = node.content else { return nil }
        let cookies = node[Schema.delivery.cookies].map { readCookies($0, session) } ?? []
        let delivery = RefreshDelivery(
            header: node[Schema.delivery.header].flatMap { readHeader($0, session) },
            cookies: cookies
        )
        let hasCookies = node[Schema.delivery.cookies].map { !$0.entries.isEmpty } ?? false
        if node[Schema.delivery.header] == nil, !hasCookies {
            session.at(entry).error(
                "\"deliver\" names neither a header nor a cookie, so that no client gets the new token: add \"header\" "
                    + "or \"cookies\""
            )
        }
        if node[Schema.delivery.header] == nil, hasCookies, !takesCookies,
            let entry = node.entry(Schema.delivery.cookies)
        {
            session.at(entry).warning(
                "nobody gets these cookies, no token is taken from one: add \"cookie:NAME\" to \"from\" of "
                    + "\"authenticate\", or a \"header\" here"
            )
        }
        return delivery
    }

    private var takesCookies: Bool {
        from.contains { if case .cookie = $0 { true } else { false } }
    }

    private func readHeader(_ node: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = node.filled else { return nil }
        guard NetworkText.isToken(scalar.text) else {
            return session.at(node)
                .refuse("\"header\" must be a field name, but is \(scalar.shown): write it like X-Refreshed-Token")
        }
        let name = FieldNames.folded(scalar.text)
        guard !FieldNames.isReserved(name), !FieldNames.isReservedInResponses(name) else {
            return session.at(node).refuse(
                "\(scalar.shown) has a meaning of its own and cannot carry a token: choose one like X-Refreshed-Token"
            )
        }
        guard !identity.headers.contains(where: { FieldNames.folded($0.name) == name }) else {
            return session.at(node)
                .refuse("\(scalar.shown) carries a claim already, see \"identity\": choose one like X-Refreshed-Token")
        }
        return scalar.text
    }

    /// In the order of the file.
    private func readCookies(_ node: DocumentNode, _ session: ReadingSession) -> [RefreshDelivery.Cookie] {
        var cookies: [RefreshDelivery.Cookie] = []
        for entry in node.entries {
            if !NetworkText.isToken(entry.key) {
                session.at(entry)
                    .error("this is not a cookie name (RFC 6265 section 4.1.1): use letters, digits, \"-\" and \"_\"")
            }
            guard let pointer = PointerReader.read(entry.value, name: entry.key, session) else { continue }
            cookies.append(RefreshDelivery.Cookie(name: entry.key, value: pointer))
        }
        return cookies
    }
}
