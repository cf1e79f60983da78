/// The parts of an http or https address that are of use here.
struct SourceURL: Sendable, Equatable {
    var scheme: String
    /// Host and port as written.
    var authority: String
    /// Empty or from the first `/` on, without query and fragment.
    var path: String

    /// - Returns: nil for what has no scheme or no host, or a user.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        scheme = text[..<colon].lowercased()
        let rest = text[colon...].dropFirst(3)
        authority = String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
        let after = rest.dropFirst(authority.count)
        path = String(after.prefix { $0 != "?" && $0 != "#" })
        guard !authority.isEmpty, !authority.contains("@"),
            authority.unicodeScalars.allSatisfy({ (0x21...0x7e).contains($0.value) })
        else { return nil }
    }

    /// The host without its port; an IPv6 address keeps its brackets.
    var host: String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    var origin: String { "\(scheme)://\(authority)" }
}

/// An address to listen on.
enum ListenAddress {
    /// `host:port`, `:port`, `port`, `[::]:port` and `http://host:port`; nil for sockets of the file system.
    static func read(_ text: String, defaultPort: Int) -> String? {
        var rest = text[...]
        for scheme in ["http://", "https://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        guard !rest.isEmpty, !rest.contains("/"), !rest.hasPrefix("unix"), !rest.hasPrefix("fd:") else { return nil }
        if rest.allSatisfy({ $0.isASCII && $0.isNumber }) { return "0.0.0.0:\(rest)" }
        if rest.hasPrefix(":") { return "0.0.0.0\(rest)" }
        if rest.hasPrefix("*") { rest = "0.0.0.0" + rest.dropFirst() }
        let hasPort = rest.hasPrefix("[") ? !rest.hasSuffix("]") : rest.contains(":")
        return hasPort ? String(rest) : "\(rest):\(defaultPort)"
    }
}
