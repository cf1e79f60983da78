import ConfigurationText

/// Checks the addresses that browsers and apps are sent to after a sign-in or a logout.
enum ReturnAddress {
    /// Schemes that run scripts, or show local content.
    private static let dangerous: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "filesystem", "about", "view-source",
    ]

    /// RFC 6749 section 3.1.2: an absolute URI without a fragment, with https, or with http on this machine.
    ///
    /// - Parameter allowsApps: Whether an app's own scheme is allowed (RFC 8252 section 7.1).
    /// - Returns: `text`.
    static func checked(_ text: String, allowsApps: Bool) throws(Remedy) -> String {
        try NetworkText.checkURLCharacters(text)
        guard !text.contains("#") else { throw Remedy("leave \"#\" and what follows it out") }
        guard !text.contains("*") else { throw Remedy("\"*\" is not allowed here; write each one out") }
        let scheme = text.prefix { $0 != ":" }
        guard isScheme(scheme), scheme.utf8.count < text.utf8.count else {
            throw Remedy("begin it with its scheme, like https://")
        }
        let rest = text.dropFirst(scheme.count + 1)
        switch scheme.lowercased() {
        case "https": try checkHost(rest, isSecure: true)
        case "http": try checkHost(rest, isSecure: false)
        case _ where !allowsApps:
            throw Remedy("begin it with https://")
        case let name where dangerous.contains(name):
            throw Remedy("begin it with https://, or with the app's own scheme")
        default:
            guard !rest.isEmpty else { throw Remedy("add what follows the scheme, like app://back") }
        }
        return text
    }

    private static func checkHost(_ rest: Substring, isSecure: Bool) throws(Remedy) {
        guard rest.hasPrefix("//") else { throw Remedy("write \"://\" and the host") }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw Remedy("leave the user and the password out") }
        let host = try NetworkText.hostPort(String(authority), defaultPort: isSecure ? 443 : 80, ports: 1...65_535)
        guard isSecure || host.isLoopback || isForDevelopment(host.host) else {
            throw Remedy("http:// is for this machine only; begin it with https://")
        }
    }

    /// RFC 6761 section 6.3, and the name that resolves to 127.0.0.1 by custom.
    private static func isForDevelopment(_ host: String) -> Bool {
        ["localhost", "localtest"].contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// RFC 3986 section 3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isLetterDigit(or: "+-.") }
    }
}
