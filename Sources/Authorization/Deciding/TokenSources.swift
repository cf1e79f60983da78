import HTTPCore
import Tenants

/// Where a tenant's tokens are looked for.
struct TokenSources {
    /// In the order in which they are asked.
    let all: [TokenSource]
    /// The cookies with tokens that the backend gets to see; empty where no token comes from a place besides that any
    /// page can fill.
    let forwardedCookies: [TokenSource]
    /// A bit for each of the first 64: whether it is a cookie.
    private let cookiePlaces: UInt64

    init(_ tenant: Tenant) {
        all = tenant.authenticate.from
        cookiePlaces = all.prefix(64).enumerated().reduce(0) { bits, source in
            if case .cookie = source.element { bits | 1 << UInt64(source.offset) } else { bits }
        }
        let cookies = all.filter { if case .cookie = $0 { true } else { false } }
        let isOpen = all.contains { !cookies.contains($0) && $0 != .bearer }
        forwardedCookies = tenant.identity.token == .strip || !isOpen ? [] : cookies
    }

    /// Whether the source at `place` is a cookie.
    func isCookie(_ place: Int) -> Bool { place < 64 && cookiePlaces >> UInt64(place) & 1 == 1 }
}
