/// Addresses that a provider's metadata names.
enum ProviderAddress {
    private static let longest = 2048

    /// Whether it is https, or http on loopback, without a user or a fragment: tokens and secrets go there, and browsers.
    ///
    /// - Parameter allowsPlain: Whether http is allowed on loopback: not for what came over https.
    static func isTrusted(_ text: String, allowsPlain: Bool) -> Bool {
        guard PlainText.isVisible(text, longest: longest), !text.contains("#"), !text.contains("\\") else {
            return false
        }
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return false }
        switch text[..<start].lowercased() {
        case "https://": return true
        case "http://": return allowsPlain && isLoopback(authority)
        default: return false
        }
    }

    private static func isLoopback(_ authority: Substring) -> Bool {
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}

extension EndpointResponse.Field {
    /// GitHub answers nobody without one.
    static let userAgent = EndpointResponse.Field("User-Agent", "gatehouse")
}
