import Verification

/// Marks a browser that has just signed in for a page. If that page leads it to sign in again, signing in does not help,
/// and it gets a page that says why instead of going round in a circle.
enum SignInMark {
    /// Seconds; longer than a browser takes to load a page.
    private static let lifetime = 30

    private static func name(isSecure: Bool) -> String { "\(isSecure ? "__Host-" : "")gatehouse-signed-in" }

    private static func value(of page: String) -> String {
        String(Base64URL.encode(SHA256.digest(Array(page.utf8))).prefix(22))
    }

    /// - Parameter page: The URL to which the sign-in leads.
    static func cookie(for page: String, isSecure: Bool) -> EndpointResponse.Field {
        SetCookie.field(name(isSecure: isSecure), value(of: page), maxAge: lifetime, isSecure: isSecure)
    }

    /// Clears it for a browser that has it.
    static func fieldsThatClear(_ request: EndpointRequest) -> [EndpointResponse.Field] {
        let name = name(isSecure: request.isSecure)
        guard RequestCookies.value(of: name, in: request.fields.cookies) != nil else { return [] }
        return [SetCookie.field(name, "", maxAge: 0, isSecure: request.isSecure)]
    }

    static func isSet(for page: String, in request: EndpointRequest) -> Bool {
        RequestCookies.value(of: name(isSecure: request.isSecure), in: request.fields.cookies) == value(of: page)
    }
}
