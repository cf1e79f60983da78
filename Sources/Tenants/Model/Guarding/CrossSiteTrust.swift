/// Whether a page of another site may have caused a request (CSRF): browsers send cookies whatever page makes the
/// request. Used by the request path and by sign-in.
///
/// `Origin` (RFC 6454 section 7) must be the request's own or a trusted one. `Sec-Fetch-Site` (W3C Fetch Metadata section
/// 2.3) must agree, except for a trusted origin. Without either, the client is no browser, or one so old that only
/// `SameSite` of the cookies protects it.
public struct CrossSiteTrust: Sendable {
    /// The reason of the decision, for explanations.
    public enum Verdict: Equatable, Sendable {
        case trustedOrigin
        case ownOrigin
        /// `Origin` is the request's own, but `Sec-Fetch-Site` says otherwise.
        case contradiction
        case foreignOrigin
        /// No `Origin`; `Sec-Fetch-Site` is `same-origin` or `none`.
        case ownSite
        /// No `Origin`; `Sec-Fetch-Site` has another value. A page of a trusted origin would have sent `Origin`.
        case foreignSite
        case noBrowser

        public var isAllowed: Bool {
            switch self {
            case .trustedOrigin, .ownOrigin, .ownSite, .noBrowser: true
            case .contradiction, .foreignOrigin, .foreignSite: false
            }
        }
    }

    private let trusted: [[UInt8]]

    /// - Parameter origins: Besides a request's own; URLs are taken for their origins.
    public init(_ origins: [String]) {
        trusted = origins.map { Array(WebOrigin.canonical($0).utf8) }
    }

    /// - Parameters:
    ///   - bytes: The bytes of the head, which the ranges refer to.
    ///   - origin: The value of `Origin`. `null` is what sandboxed frames of any site send.
    ///   - fetchSite: The value of `Sec-Fetch-Site`.
    ///   - authority: The request's host and port.
    ///   - isSecure: Whether the client uses TLS; nil if unknown.
    public func evaluate(
        _ bytes: Span<UInt8>,
        origin: Range<Int>?,
        fetchSite: Range<Int>?,
        authority: Range<Int>,
        isSecure: Bool?
    ) -> Verdict {
        let isOwnSite = fetchSite.map { Self.isOwnSite(bytes.extracting($0)) }
        guard let origin else {
            guard let isOwnSite else { return .noBrowser }
            return isOwnSite ? .ownSite : .foreignSite
        }
        let value = bytes.extracting(origin)
        for one in trusted where WebOrigin.isSame(value, as: one) { return .trustedOrigin }
        guard WebOrigin.isOwn(value, authority: bytes.extracting(authority), isSecure: isSecure) else {
            return .foreignOrigin
        }
        return isOwnSite ?? true ? .ownOrigin : .contradiction
    }

    private static func isOwnSite(_ value: Span<UInt8>) -> Bool {
        isEqual(value, "same-origin") || isEqual(value, "none")
    }

    private static func isEqual(_ value: Span<UInt8>, _ text: StaticString) -> Bool {
        guard value.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<value.count where value[index] != text.utf8Start[index] { return false }
        return true
    }
}
