import HTTPCore
import Tenants

/// The locations at which a tenant's tokens are looked for.
struct TokenSources {
    /// In the order of the search.
    let all: [TokenSource]
    /// Cookies with tokens that the backend sees; empty unless tokens may also come from a location that any page can
    /// fill.
    let forwardedCookies: [TokenSource]
    /// The index of the last location.
    let last: Int
    /// One bit for each of the first 64: whether it is a cookie.
    private let cookieBits: UInt64
    /// One bit for each of the first 64: whether the backend may get a cookie with a token besides the token there.
    private let besideCookieBits: UInt64

    init(_ tenant: Tenant) {
        let all = tenant.authenticate.from
        self.all = all
        last = all.count - 1
        func bits(_ isSet: (TokenSource) -> Bool) -> UInt64 {
            all.prefix(64).enumerated().reduce(0) { isSet($1.element) ? $0 | 1 << UInt64($1.offset) : $0 }
        }
        cookieBits = bits { if case .cookie = $0 { true } else { false } }
        let cookies = all.filter { if case .cookie = $0 { true } else { false } }
        // Browsers send a bearer token across sites only after a preflight.
        let isOpen = all.contains { !cookies.contains($0) && $0 != .bearer }
        forwardedCookies = tenant.identity.token == .strip || !isOpen ? [] : cookies
        besideCookieBits = forwardedCookies.isEmpty ? 0 : bits { $0 != .bearer && !cookies.contains($0) }
    }

    /// Whether the source at `index` is a cookie.
    func isCookie(_ index: Int) -> Bool { index < 64 && cookieBits >> UInt64(index) & 1 == 1 }

    /// Whether a page of another site might act with a cookie, if the request's token is at `index`.
    func mayUseCookie(_ index: Int) -> Bool { index < 64 && (cookieBits | besideCookieBits) >> UInt64(index) & 1 == 1 }
}
