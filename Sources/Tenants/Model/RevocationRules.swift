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

extension Tenant {
    /// Whether callers get 503 because what is known of revocations is too old. Paths that anyone may have are open still.
    ///
    /// - Parameter staleness: Seconds since the store was known to have nothing newer; nil: never.
    public func refusesCallers(staleness: Double?) -> Bool {
        guard self.onStoreFailure == .deny else { return false }
        return staleness.map { $0 > self.maxStaleness.secondsAsDouble } ?? true
    }
}

/// What the revocation check does once the local copy is older than the tenant's `maxStaleness`.
public enum StoreFailurePolicy: String, Sendable, CaseIterable {
    /// 503 `store_unavailable`: the token may have been revoked meanwhile.
    case deny
    /// Uses the copy.
    case allow
}
