import ConfigurationText

/// Reads the addresses that keys and tokens come from. Plain HTTP is refused beyond loopback: an
/// attacker on the network could respond.
enum ProviderURLReader {
    /// The address in a section; nil if there is none, or if it cannot be used, which was reported.
    ///
    /// - Parameter allowsQuery: False where the gateway appends a query.
    static func read(
        _ key: Key<some Sendable>,
        in section: DocumentNode,
        allowsQuery: Bool = false,
        _ session: ReadingSession
    ) -> String? {
        section[key].flatMap { read($0, name: "\"\(key.name)\"", allowsQuery: allowsQuery, session) }
    }

    /// The address in a section, or its default.
    static func read(
        _ key: Key<String>,
        in section: DocumentNode,
        allowsQuery: Bool = false,
        _ session: ReadingSession
    ) -> String {
        let given: String? = read(key, in: section, allowsQuery: allowsQuery, session)
        return given ?? key.default
    }

    /// - Parameters:
    ///   - name: The key's name in messages.
    ///   - allowsPlain: Whether http is allowed beyond loopback.
    /// - Returns: The address; nil if it cannot be used, which was reported without showing it.
    static func read(
        _ node: DocumentNode,
        name: String,
        allowsQuery: Bool = true,
        allowsPlain: Bool = false,
        _ session: ReadingSession
    ) -> String? {
        guard let scalar = node.filled else { return nil }
        let fault = "\(name) must be an https:// address (http:// only on loopback)"
        let reading = session.at(node).value(
            of: try checked(scalar.text, allowsQuery: allowsQuery, allowsPlain: allowsPlain),
            or: fault
        )
        return reading
    }

    /// Whether an address that was read is plain HTTP beyond loopback.
    static func isOpenToOthers(_ url: String) -> Bool {
        (try? checked(url, allowsQuery: true, allowsPlain: false)) == nil
    }

    private static func checked(_ text: String, allowsQuery: Bool, allowsPlain: Bool) throws(Remedy) -> String {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { throw Remedy("change it") }
        try NetworkText.checkURLCharacters(text)
        guard !text.contains("#") else { throw Remedy("leave \"#\" and what follows it out, it is never sent") }
        guard allowsQuery || !text.contains("?") else { throw Remedy("leave \"?\" and what follows it out") }
        let authority = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw Remedy("leave the user and the password out, they are not used")
        }
        let host = try NetworkText.hostPort(String(authority), defaultPort: isSecure ? 443 : 80, ports: 1...65_535)
        guard isSecure || allowsPlain || host.isLoopback else { throw Remedy("change it") }
        return text
    }
}
