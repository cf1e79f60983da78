package import HTTPCore
package import SharedState
package import Tenants
package import Time

/// A tenant's refresh rules on one event loop.
package final class TenantRefreshing {
    package let rules: RefreshRules
    /// Requests that wait for new tokens on this loop.
    package var waiting = 0
    private let exempt: [PathPattern]
    private let sources: [TokenSource]
    private let takesProofs: Bool
    /// All of `deliver.cookies`.
    private let cookies: [RefreshDeliveryWay.Cookie]

    init(_ rules: RefreshRules, _ tenant: Tenant) {
        self.rules = rules
        sources = tenant.authenticate.from
        takesProofs = tenant.proof != nil
        cookies = rules.delivery.cookies.map { RefreshDeliveryWay.Cookie($0.name, $0.rules) }
        var exempt = tenant.signInPaths + tenant.revokeOn.map(\.path) + rules.captures.map(\.path)
        if case .backend(let path) = rules.call.target {
            let received = (tenant.stripPrefix ? tenant.pathPrefix ?? "" : "") + path.prefix { $0 != "?" }
            // A path with pattern characters, or with characters that no canonical path has, matches no request
            // here.
            if let pattern = try? PathPattern(received) { exempt.append(pattern) }
        }
        self.exempt = exempt
    }

    /// Whether a request to this path never causes a refresh: it signs in or out, or is a refresh itself.
    package func isExempt(_ path: Span<UInt8>) -> Bool {
        for pattern in exempt where pattern.matches(path) { return true }
        return false
    }

    /// Which of the backend's responses for this path contain tokens to be stored.
    package func capture(_ path: Span<UInt8>) -> TokenCapture? {
        for capture in rules.captures where capture.path.matches(path) { return capture }
        return nil
    }

    /// How a client that sends its token in this location gets a new one; nil if it cannot.
    package func delivery(for source: TokenSource) -> RefreshDeliveryWay? {
        if case .cookie = source, !cookies.isEmpty { return RefreshDeliveryWay(header: nil, cookies: cookies) }
        guard let header = rules.delivery.header else { return nil }
        // A refresh token in a cookie is replaced in that cookie, wherever the access token is.
        guard case .cookie(let name) = rules.source else { return RefreshDeliveryWay(header: header, cookies: []) }
        return RefreshDeliveryWay(header: header, cookies: cookies.filter { $0.name == name })
    }

    /// How a client that sends its token in this location gets a session of the tenant's own issuer for one of a former
    /// issuer; nil if it cannot.
    ///
    /// A client that gets its token in the field gets a refresh token in a cookie only if it has sent that cookie: another
    /// may keep no cookies, or keep those of several people in one place.
    package func sessionDelivery(
        for source: TokenSource,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) -> RefreshDeliveryWay? {
        guard rules.deliversSessions(to: source), var way = delivery(for: source) else { return nil }
        guard way.header != nil, case .cookie(let name) = rules.source else { return way }
        if case .token = TokenFinder.find(head, bytes, query: 0..<0, in: [.cookie(name: name)]) { return way }
        way.cookies = []
        return way
    }

    /// The location of a request's token, and its position in the head.
    ///
    /// - Parameter counted: Index of the location whose token counts; nil: the first that has one.
    package func findToken(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        query: Range<Int>,
        counted: Int?
    ) -> (TokenSource, Range<Int>)? {
        let places = counted.map { $0..<($0 + 1) } ?? sources.indices
        for source in sources[places] {
            switch TokenFinder.find(head, bytes, query: query, in: [source], takesProofs: takesProofs) {
            case .missing: continue
            case .several: return nil
            case .token(let range, _): return (source, range)
            }
        }
        return nil
    }
}

/// How a client gets new tokens.
package struct RefreshDeliveryWay: Equatable {
    /// The response field for the access token.
    package var header: String?
    /// The cookies of the tenant's `deliver.cookies` that are set.
    package var cookies: [Cookie]

    package struct Cookie: Equatable {
        package var name: String
        /// What follows its value.
        package var attributes: [UInt8]
        /// The same of a cookie of the host's own, which browsers would send beside this one; nil if this is one.
        package var hostAttributes: [UInt8]?

        package init(_ name: String, _ rules: CookieRules = CookieRules()) {
            self.name = name
            attributes = Array(rules.attributes().utf8)
            hostAttributes = rules.hostRules.map { Array($0.attributes().utf8) }
        }
    }
}

/// One loop's state of refreshing one token.
package final class RefreshMemory {
    /// The session that the token belongs to.
    package private(set) var renewal: Renewal?
    /// The credential it was obtained with: the access token alone does not give access to the refresh token.
    private var refreshToken: [UInt8]?
    /// The token is not refreshed early again before this time.
    package var restUntil = MonotonicTime.distantPast

    package init() {}

    package func remember(_ renewal: Renewal, gotWith refreshToken: [UInt8]?) {
        self.renewal = renewal
        self.refreshToken = refreshToken
    }

    package func forgetOld(at now: MonotonicTime) {
        if let renewal, now >= renewal.usableUntil { self.renewal = nil }
    }

    /// - Parameter refreshToken: The one sent with a request.
    package func renewal(for refreshToken: [UInt8]?) -> Renewal? {
        self.refreshToken == refreshToken ? renewal : nil
    }
}
