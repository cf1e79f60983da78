/// Whether a page of another site may be behind a request (CSRF): browsers send cookies along whoever asks. The one
/// meaning of it, for the request path and for sign-in.
///
/// Where a browser says from which origin a request comes (RFC 6454 section 7), that has to be the request's own or one
/// that is trusted. `Sec-Fetch-Site` (W3C Fetch Metadata section 2.3) must agree, but for an origin that is named.
/// Where neither is said it is no browser, or one so old that `SameSite` of the cookies is all there is.
public struct CrossSiteTrust: Sendable {
    /// What the judgement goes by, for explanations.
    public enum Verdict: Equatable, Sendable {
        case trustedOrigin
        case ownOrigin
        /// `Origin` is the request's own, but `Sec-Fetch-Site` says otherwise.
        case contradiction
        case foreignOrigin
        /// No `Origin`; `Sec-Fetch-Site` is `same-origin` or `none`.
        case ownSite
        /// No `Origin`; `Sec-Fetch-Site` is anything else. A neighbour that is trusted would have said its origin.
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
    ///   - bytes: Those that the ranges are of.
    ///   - origin: The value of `Origin`. `null` is what sandboxed frames of any site send.
    ///   - fetchSite: The value of `Sec-Fetch-Site`.
    ///   - authority: Host and port that the request names.
    ///   - isSecure: Whether the client speaks TLS; nil where nobody knows.
    public func judge(
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
        isWord(value, "same-origin") || isWord(value, "none")
    }

    private static func isWord(_ value: Span<UInt8>, _ word: StaticString) -> Bool {
        guard value.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<value.count where value[index] != word.utf8Start[index] { return false }
        return true
    }
}
