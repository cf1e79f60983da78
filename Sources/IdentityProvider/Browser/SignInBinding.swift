import Verification

/// The cookie that binds a sign-in to the browser that began it, so that an attacker cannot complete their own sign-in
/// in another browser (login CSRF, RFC 9700 section 4.7).
///
/// Each sign-in has its own cookie, so that sign-ins in two windows do not interfere.
enum SignInBinding {
    enum Finding: Sendable, Equatable {
        case matching
        /// No cookie: another browser, or a cross-site request, for which `SameSite=Lax` sends none.
        case missing
        case foreign
    }

    /// - Parameter isSecure: With TLS the name has the prefix that keeps other hosts from setting the cookie.
    static func cookieName(_ id: SignInID, isSecure: Bool) -> String {
        let digest = Base64URL.encode(SHA256.digest(id.bytes)).prefix(8)
        return "\(isSecure ? "__Host-" : "")gatehouse-sign-in-\(digest)"
    }

    static func makeValue() -> String { Base64URL.encode(RandomBytes.make(32)) }

    /// The stored form of the value.
    static func hash(_ value: String) -> [UInt8] { SHA256.digest(Array(value.utf8)) }

    static func cookie(_ value: String, of id: SignInID, isSecure: Bool) -> EndpointResponse.Field {
        SetCookie.field(
            cookieName(id, isSecure: isSecure),
            value,
            maxAge: Int(SignInTransaction.lifetime),
            isSecure: isSecure
        )
    }

    static func clearingCookie(of id: SignInID, isSecure: Bool) -> EndpointResponse.Field {
        SetCookie.field(cookieName(id, isSecure: isSecure), "", maxAge: 0, isSecure: isSecure)
    }

    static func find(_ id: SignInID, hash: [UInt8], in request: EndpointRequest) -> Finding {
        let name = cookieName(id, isSecure: request.isSecure)
        guard let value = RequestCookies.value(of: name, in: request.fields.cookies) else { return .missing }
        return ConstantTime.areEqual(Self.hash(value), hash) ? .matching : .foreign
    }
}
