/// The URL after a sign-in with cookies. It is always on one origin, whatever the request asks for.
struct PostSignInTarget: Sendable, Equatable {
    /// As long as a request's target, since it comes in one; it is kept for as long as the sign-in.
    private static let longest = 8192

    let url: String

    /// - Parameters:
    ///   - asked: From the request: a URL of `configured`'s origin, or a path there; nil for `configured` itself.
    ///   - configured: An absolute URL.
    ///   - own: Another origin that counts; nil if there is none.
    /// - Returns: Nil if it leads to another origin, or might in some browser.
    init?(_ asked: String?, configured: String, own: String? = nil) {
        guard let asked else {
            url = configured
            return
        }
        guard asked.utf8.count <= Self.longest, asked.utf8.allSatisfy(Self.isPlain) else { return nil }
        let origin = Self.origin(of: configured)
        if asked.hasPrefix("/") {
            guard !asked.hasPrefix("//") else { return nil }
            url = origin + asked
        } else {
            guard [origin, own].contains(where: { $0.map { Self.isOn($0, asked) } ?? false }) else { return nil }
            url = asked
        }
    }

    /// After the origin there may be a path, a query or nothing: no port, no further label, no `@`.
    private static func isOn(_ origin: String, _ url: String) -> Bool {
        url.utf8.starts(with: origin.utf8) && url.utf8.dropFirst(origin.utf8.count).first.map(ends) ?? true
    }

    /// `url` with `error` in its query, before any fragment.
    static func url(_ url: String, error: String) -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        return FormText.url(String(url[..<fragment]), adding: [("error", error)]) + url[fragment...]
    }

    /// Host and port, for display.
    static func host(of url: String) -> String {
        let origin = origin(of: url)
        return String(origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...])
    }

    private static func origin(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return url }
        let start = bytes.index(colon, offsetBy: 3, limitedBy: bytes.endIndex) ?? bytes.endIndex
        return String(url[..<(bytes[start...].firstIndex(where: ends) ?? bytes.endIndex)])
    }

    private static func ends(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Visible ASCII, without characters that no URL has: browsers read `\` as `/`, and drop line ends and tabs.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#"\"<>^`{|}"#.utf8.contains(byte)
    }
}
