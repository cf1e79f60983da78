import Localization
import Tenants

/// Cookies of a request (RFC 6265 section 5.4), read from its fields.
enum RequestCookies {
    /// - Returns: The value of the cookie called `name`; nil if there is none, or two that differ, of which one may be
    ///   an attacker's.
    static func value(of name: String, in fields: [String]) -> String? {
        var found: Substring?
        for field in fields {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = Substring(pair).trimmingSpaces
                guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].utf8.elementsEqual(name.utf8)
                else { continue }
                let value = pair[pair.utf8.index(after: equals)...]
                if let found, !found.utf8.elementsEqual(value.utf8) { return nil }
                found = value
            }
        }
        return found.map(String.init)
    }
}

/// `Set-Cookie` lines (RFC 6265 section 4.1).
enum SetCookie {
    /// - Parameters:
    ///   - maxAge: Seconds; nil for a session cookie; 0 removes the cookie.
    ///   - rules: Its other attributes.
    ///   - isSecure: False only for a cookie that must work without TLS, on a developer's machine.
    static func field(
        _ name: String,
        _ value: String,
        maxAge: Int?,
        rules: CookieRules = CookieRules(),
        isSecure: Bool = true
    ) -> EndpointResponse.Field {
        var text = "\(name)=\(value)\(rules.attributes(isSecure: isSecure))"
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        return EndpointResponse.Field("Set-Cookie", text)
    }
}
