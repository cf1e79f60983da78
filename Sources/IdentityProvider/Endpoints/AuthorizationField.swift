import Localization
import Verification

/// `Authorization` (RFC 9110 section 11.4).
enum AuthorizationField {
    /// The part after the scheme, which is compared case-insensitively.
    ///
    /// - Returns: Nil for another scheme, or if nothing follows.
    static func credentials(_ scheme: String, in field: String) -> String? {
        guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == scheme.lowercased() else {
            return nil
        }
        let credentials = field[space...].trimmingSpaces
        return credentials.isEmpty ? nil : String(credentials)
    }

    /// An access token: a bearer token (RFC 6750 section 2.1), or one with a DPoP proof (RFC 9449 section 7.1).
    static func accessToken(_ field: String) -> String? {
        credentials("Bearer", in: field) ?? credentials("DPoP", in: field)
    }

    /// User and password of a Basic field (RFC 7617 section 2), as sent.
    static func basic(_ field: String) -> (user: [UInt8], password: [UInt8])? {
        guard let credentials = credentials("Basic", in: field), let text = base64(credentials),
            let colon = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (Array(text[..<colon]), Array(text[(colon + 1)...]))
    }

    /// The standard alphabet, with or without padding (RFC 4648 section 4).
    private static func base64(_ text: String) -> [UInt8]? {
        var text = Array(text.utf8)
        if text.count % 4 == 0 {
            for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
        }
        guard !text.contains(where: "-_".utf8.contains) else { return nil }
        let urlAlphabet = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
        return Base64URL.decode(text.map { urlAlphabet[$0] ?? $0 })
    }
}
