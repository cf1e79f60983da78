/// Reads the addresses that keys and tokens come from. What came over plain HTTP could be anybody's.
enum ProviderURLReader {
    /// The address of a key of a section; nil where there is none, or it cannot be used, which was reported.
    ///
    /// - Parameter allowsQuery: False where parameters of the request are put behind it.
    static func read(
        _ key: Key<some Sendable>,
        in section: DocumentNode,
        allowsQuery: Bool = false,
        _ session: inout ReadingSession
    ) -> String? {
        section[key].flatMap { read($0, name: "\"\(key.name)\"", allowsQuery: allowsQuery, &session) }
    }

    /// As above, with the default where there is none that can be used.
    static func read(
        _ key: Key<String>,
        in section: DocumentNode,
        allowsQuery: Bool = false,
        _ session: inout ReadingSession
    ) -> String {
        let given: String? = read(key, in: section, allowsQuery: allowsQuery, &session)
        return given ?? key.standard
    }

    /// - Parameter name: What messages call it.
    /// - Returns: The address; nil if it cannot be used, which was reported without showing it.
    static func read(
        _ node: DocumentNode,
        name: String,
        allowsQuery: Bool = true,
        _ session: inout ReadingSession
    ) -> String? {
        guard let scalar = node.filled else { return nil }
        return session.value(at: node.place, "\(name) must be an https:// address (http:// only on loopback)") {
            () throws(ScalarText.Problem) in
            try check(scalar.text, allowsQuery: allowsQuery)
            return scalar.text
        }
    }

    private static func check(_ text: String, allowsQuery: Bool) throws(ScalarText.Problem) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { throw ScalarText.Problem(remedy: "change it") }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw ScalarText.Problem(remedy: "percent-encode the characters that no URL holds")
        }
        guard !text.contains("#") else {
            throw ScalarText.Problem(remedy: "leave \"#\" and what follows it out, it is never sent")
        }
        guard allowsQuery || !text.contains("?") else {
            throw ScalarText.Problem(remedy: "leave \"?\" and what follows it out")
        }
        let authority = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw ScalarText.Problem(remedy: "leave the user and the password out, nobody is asked for them")
        }
        let host = try NetworkText.hostPort(String(authority), defaultPort: isSecure ? 443 : 80, ports: 1...65_535)
        guard isSecure || host.isLoopback else { throw ScalarText.Problem(remedy: "change it") }
    }
}
