import Authorization
import HTTPCore
import SharedState
import Tenants
import Time

/// The field lines that bring a client its new tokens, or take the old ones away.
enum DeliveryFields {
    /// - Parameters:
    ///   - exposes: Whether scripts of other origins are told that they may read the field.
    ///   - grace: Seconds for which an expired access token may still be refreshed: a cookie that can be used to the end
    ///     of that lives until then.
    static func lines(
        _ renewal: Renewal,
        _ way: RefreshDeliveryWay,
        exposes: Bool = true,
        grace: Double,
        at now: UnixTime
    ) -> [UInt8] {
        // Whoever keeps answers for several clients must not keep this one.
        var lines = Array("Cache-Control: no-store\r\n".utf8)
        if let name = way.header {
            lines += "\(name): ".utf8
            lines += renewal.accessToken
            lines += "\r\n".utf8
            if exposes { lines += "Access-Control-Expose-Headers: \(name)\r\n".utf8 }
        }
        for cookie in renewal.cookies where way.cookies.contains(cookie.name) {
            lines += "Set-Cookie: \(cookie.name)=".utf8
            lines += cookie.value
            if var end = cookie.expiresAt {
                if cookie.value == renewal.accessToken { end = end + grace }
                let seconds = min(max(0, end - now), 4e9)
                lines += "; Max-Age=\(Int(seconds)); Expires=".utf8
                lines += HTTPDate.text(now + seconds)
            }
            lines += attributes
        }
        return lines
    }

    /// The session is over: its cookies go.
    static func clearing(_ way: RefreshDeliveryWay) -> [UInt8] {
        guard !way.cookies.isEmpty else { return [] }
        var lines = Array("Cache-Control: no-store\r\n".utf8)
        for name in way.cookies {
            lines += "Set-Cookie: \(name)=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT".utf8
            lines += attributes
        }
        return lines
    }

    /// Whether a field of the backend's gives way to ours: one of the same name that is no list, or that would let an
    /// answer be kept that holds a token (RFC 9213 section 2.2).
    static func replace(_ field: HeadField, _ bytes: Span<UInt8>, _ lines: [UInt8]) -> Bool {
        if CacheFields.contain(field, bytes) { return true }
        if bytes.isFieldName(field.name, "set-cookie") { return false }
        if bytes.isFieldName(field.name, "access-control-expose-headers") { return false }
        return lines.split(separator: UInt8(ascii: "\n")).contains { line in
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            return bytes.isFieldName(field.name, equalTo: String(decoding: name, as: UTF8.self))
        }
    }

    /// RFC 6265 section 4.1.2; SameSite as in its successor.
    private static let attributes = Array("; Path=/; HttpOnly; Secure; SameSite=Lax\r\n".utf8)
}
