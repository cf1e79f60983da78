/// Judges the addresses that browsers and apps are sent to after a sign-in or a logout.
enum ReturnAddress {
    /// Schemes that run what follows them, or show what is on the device.
    private static let dangerous: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "filesystem", "about", "view-source",
    ]

    /// RFC 6749 section 3.1.2: an absolute URI without a fragment. What crosses the network is https; on this machine,
    /// by the names that stand for it, http is good too.
    ///
    /// - Parameter allowsApps: Whether an app's own scheme is good (RFC 8252 section 7.1).
    static func check(_ text: String, allowsApps: Bool) throws(ScalarText.Problem) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw ScalarText.Problem(remedy: "percent-encode the characters that no URL holds")
        }
        guard !text.contains("#") else {
            throw ScalarText.Problem(remedy: "leave \"#\" and what follows it out")
        }
        guard !text.contains("*") else {
            throw ScalarText.Problem(remedy: "\"*\" stands for nothing here; write each one out")
        }
        let scheme = text.prefix { $0 != ":" }
        guard isScheme(scheme), scheme.utf8.count < text.utf8.count else {
            throw ScalarText.Problem(remedy: "begin it with its scheme, like https://")
        }
        let rest = text.dropFirst(scheme.count + 1)
        switch scheme.lowercased() {
        case "https": try checkHost(rest, isSecure: true)
        case "http": try checkHost(rest, isSecure: false)
        case _ where !allowsApps:
            throw ScalarText.Problem(remedy: "begin it with https://")
        case let name where dangerous.contains(name):
            throw ScalarText.Problem(remedy: "begin it with https://, or with the app's own scheme")
        default:
            guard !rest.isEmpty else {
                throw ScalarText.Problem(remedy: "add what follows the scheme, like app://back")
            }
        }
    }

    private static func checkHost(_ rest: Substring, isSecure: Bool) throws(ScalarText.Problem) {
        guard rest.hasPrefix("//") else { throw ScalarText.Problem(remedy: "write \"://\" and the host") }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw ScalarText.Problem(remedy: "leave the user and the password out")
        }
        let host = try NetworkText.hostPort(String(authority), defaultPort: isSecure ? 443 : 80, ports: 1...65_535)
        guard isSecure || host.isLoopback || isForDevelopment(host.host) else {
            throw ScalarText.Problem(remedy: "http:// is for this machine only; begin it with https://")
        }
    }

    /// RFC 6761 section 6.3, and the name that resolves to 127.0.0.1 by custom.
    private static func isForDevelopment(_ host: String) -> Bool {
        ["localhost", "localtest"].contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// RFC 3986 section 3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}
