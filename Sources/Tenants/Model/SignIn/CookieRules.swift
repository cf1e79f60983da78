/// The attributes of cookies with a session, beside `Path=/; HttpOnly; Secure`.
public struct CookieRules: Sendable, Equatable {
    public enum SameSite: String, Sendable, CaseIterable {
        case lax
        case strict
        /// Sent from pages of every site.
        case none
    }

    /// The prefixes that browsers hold a cookie to (RFC 6265bis section 4.1.3).
    public enum Prefix: String, Sendable, CaseIterable {
        /// Set over TLS, by the host itself and for it alone.
        case host = "__Host-"
        /// Set over TLS.
        case secure = "__Secure-"
    }

    /// Its hosts and those below get the cookie; nil: only the host that sets it.
    public var domain: String?
    public var sameSite: SameSite = Schema.sessionCookies.sameSite.default

    public init(domain: String? = nil, sameSite: SameSite = .lax) {
        self.domain = domain
        self.sameSite = sameSite
    }

    /// Those of the host's own cookie; nil if these are.
    public var hostRules: CookieRules? { domain == nil ? nil : CookieRules(sameSite: sameSite) }

    /// As they follow the cookie's value (RFC 6265 section 4.1.2).
    ///
    /// - Parameter isSecure: False only for a cookie that must work without TLS, on a developer's machine.
    public func attributes(isSecure: Bool = true) -> String {
        let sameSite =
            switch sameSite {
            case .lax: "Lax"
            case .strict: "Strict"
            case .none: "None"
            }
        return "; Path=/; HttpOnly; SameSite=\(sameSite)" + (isSecure ? "; Secure" : "")
            + (domain.map { "; Domain=\($0)" } ?? "")
    }
}
