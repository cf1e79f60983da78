public import OutgoingHTTP

/// An address that is trusted for keys: https, or http on loopback, without user, password or fragment. Keys from plain
/// HTTP could be forged on the way.
public struct ProviderURL: Sendable, Equatable {
    public let origin: OutgoingRequest.Origin
    /// Path and query, from the first slash.
    public let target: String
    private let allowsPlain: Bool

    /// - Parameter allowsPlain: Whether http is allowed everywhere: for responses that need not be trusted, and where the
    ///   configuration takes keys over it.
    /// - Returns: Nil for any other address.
    public init?(_ text: String, allowsPlain: Bool = false) {
        // Printable ASCII only: parsers may disagree on anything else.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }), !text.contains("#"),
            let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://")
        else { return nil }
        let isSecure: Bool
        switch text[..<colon].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: return nil
        }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let tail = String(rest[authority.endIndex...])
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        origin = OutgoingRequest.Origin(isSecure: isSecure, host: host, port: port ?? (isSecure ? 443 : 80))
        target = tail.hasPrefix("/") ? tail : "/" + tail
        self.allowsPlain = allowsPlain
        guard isSecure || allowsPlain || Self.isLoopback(host) else { return nil }
    }

    public var text: String {
        let defaultPort = origin.isSecure ? 443 : 80
        return "\(scheme)://\(origin.host)\(origin.port == defaultPort ? "" : ":\(origin.port)")\(target)"
    }

    private var scheme: String { origin.isSecure ? "https" : "http" }

    /// The target of a `Location` field (RFC 9110 section 10.2.2); nil if it must not be followed.
    func redirected(to location: String) -> ProviderURL? {
        let location = String(location.prefix { $0 != "#" })
        let origin = "\(scheme)://\(origin.host):\(origin.port)"
        let path = target.prefix { $0 != "?" }
        if location.isEmpty { return nil }
        if location.hasPrefix("//") { return same("\(scheme):\(location)") }
        if location.hasPrefix("/") { return same(origin + location) }
        if location.hasPrefix("?") { return same(origin + path + location) }
        let beforePath = location.prefix { $0 != "/" && $0 != "?" }
        if beforePath.contains(":") { return same(location) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return same(origin + folder + location)
    }

    /// Another address by the same rules.
    private func same(_ text: String) -> ProviderURL? { ProviderURL(text, allowsPlain: allowsPlain) }

    private static func hostAndPort(_ authority: Substring) -> (host: String, port: Int?)? {
        var host = authority
        var portText: Substring?
        let nameEnd = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let nameEnd else { return nil }
        if let colon = authority[nameEnd...].lastIndex(of: ":") {
            host = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard isHost(host) else { return nil }
        guard let portText else { return (host.lowercased(), nil) }
        guard (1...5).contains(portText.utf8.count),
            portText.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = Int(portText), (1...65_535).contains(port)
        else { return nil }
        return (host.lowercased(), port)
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("[") {
            let address = text.dropFirst().dropLast()
            return text.hasSuffix("]") && address.contains(":")
                && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return !text.isEmpty
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_") }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
