import Authorization
import HTTPCore
import SharedState
import Tenants
import Time

/// The fields that deliver new tokens to a client, or remove the old ones.
enum DeliveryFields {
    /// - Parameters:
    ///   - exposes: Whether to let scripts of other origins read the field.
    ///   - grace: Seconds for which an expired access token may still be refreshed: a cookie that can be used that long
    ///     lives until then.
    static func delivering(
        _ tokens: DeliveredTokens,
        _ way: RefreshDeliveryWay,
        exposes: Bool = true,
        grace: Double,
        at now: UnixTime
    ) -> [HeaderField] {
        // A shared cache must not store this response.
        var fields: [HeaderField] = [.noStore]
        if let name = way.header {
            fields.append(HeaderField(name, tokens.accessToken))
            if exposes { fields.append(HeaderField("Access-Control-Expose-Headers", name)) }
        }
        for cookie in tokens.cookies {
            guard let rules = way.cookies.first(where: { $0.name == cookie.name }) else { continue }
            if let own = rules.hostAttributes { fields.append(gone(cookie.name, own)) }
            var text = Array("\(cookie.name)=".utf8) + cookie.value
            if var end = cookie.expiresAt {
                if cookie.value == tokens.accessToken { end = end + grace }
                let seconds = min(max(0, end - now), 4e9)
                text += "; Max-Age=\(Int(seconds)); Expires=".utf8
                text += HTTPDate.text(now + seconds)
            }
            fields.append(HeaderField("Set-Cookie", text + rules.attributes))
        }
        return fields
    }

    /// The session is over: expires its cookies.
    static func clearing(_ way: RefreshDeliveryWay) -> [HeaderField] {
        guard !way.cookies.isEmpty else { return [] }
        return [.noStore]
            + way.cookies.flatMap { cookie in
                [cookie.hostAttributes, cookie.attributes].compactMap { $0.map { gone(cookie.name, $0) } }
            }
    }

    private static func gone(_ name: String, _ attributes: [UInt8]) -> HeaderField {
        let text = Array("\(name)=; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT".utf8)
        return HeaderField("Set-Cookie", text + attributes)
    }

    /// Whether a field of the backend is replaced by ours: one of the same name that is no list, or one that would let
    /// a cache store a response with a token (RFC 9213 section 2.2).
    static func replace(_ field: HeadField, _ bytes: Span<UInt8>, _ fields: [HeaderField]) -> Bool {
        if CacheFields.contain(field, bytes) { return true }
        if bytes.isFieldName(field.name, "set-cookie") { return false }
        if bytes.isFieldName(field.name, "access-control-expose-headers") { return false }
        return fields.contains { bytes.isFieldName(field.name, equalTo: $0.name) }
    }
}
