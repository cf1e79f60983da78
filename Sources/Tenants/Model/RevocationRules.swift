/// A request that ends its session if the backend responds with success, such as a logout.
public struct RevokeRule: Sendable, Equatable {
    /// As received; methods are case-sensitive (RFC 9110 section 9.1).
    public let method: String
    public let path: PathPattern

    private let methodBytes: [UInt8]

    public init(method: String, path: PathPattern) {
        self.method = method
        self.path = path
        self.methodBytes = Array(method.utf8)
    }

    /// - Parameters:
    ///   - method: As received.
    ///   - path: Decoded once and free of dot segments.
    public func matches(method: Span<UInt8>, path: Span<UInt8>) -> Bool {
        method.isEqual(to: methodBytes) && self.path.matches(path)
    }
}

/// What the revocation check does once the local copy is older than the tenant's `maxStaleness`.
public enum StoreFailurePolicy: String, Sendable, CaseIterable {
    /// 503 `store_unavailable`: the token may have been revoked meanwhile.
    case deny
    /// Uses the copy.
    case allow
}
