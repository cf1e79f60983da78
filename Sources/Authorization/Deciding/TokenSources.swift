import HTTPCore
import Tenants

/// The locations at which a tenant's tokens are looked for.
struct TokenSources {
    /// In the order of the search.
    let all: [TokenSource]
    /// Cookies with tokens that the backend sees; empty unless tokens may also come from a location that any page can
    /// fill.
    let forwardedCookies: [TokenSource]
    /// One bit for each of the first 64: whether it is a cookie.
    private let cookieBits: UInt64

    init(_ tenant: Tenant) {
        all = tenant.authenticate.from
        cookieBits = all.prefix(64).enumerated().reduce(0) { bits, source in
            if case .cookie = source.element { bits | 1 << UInt64(source.offset) } else { bits }
        }
        let cookies = all.filter { if case .cookie = $0 { true } else { false } }
        let isOpen = all.contains { !cookies.contains($0) && $0 != .bearer }
        forwardedCookies = tenant.identity.token == .strip || !isOpen ? [] : cookies
    }

    /// Whether the source at `index` is a cookie.
    func isCookie(_ index: Int) -> Bool { index < 64 && cookieBits >> UInt64(index) & 1 == 1 }
}
