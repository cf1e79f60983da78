public import Tenants
public import Verification

/// The keys that the issuer's clients sign their assertions with.
public protocol ClientKeySets: Sendable {
    /// - Returns: Nil if they are not known.
    func keys(of source: IssuerClient.KeysSource) async -> KeySet?

    /// Fetches keys again, within the limits for their address.
    ///
    /// - Parameter isMissing: Whether none are known; otherwise one of them is.
    /// - Returns: Whether there may be other keys now.
    func fetch(_ source: IssuerClient.KeysSource, isMissing: Bool) async -> Bool
}

/// No client has keys.
public struct NoClientKeys: ClientKeySets {
    public init() {}

    public func keys(of source: IssuerClient.KeysSource) async -> KeySet? { nil }

    public func fetch(_ source: IssuerClient.KeysSource, isMissing: Bool) async -> Bool { false }
}
