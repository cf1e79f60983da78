public import Verification

/// Who tells a tenant of what happened to its users: an entry of `signals`.
public struct SignalTransmitter: Sendable, Equatable {
    /// The `iss` of its tokens, byte for byte.
    public var issuer: String
    /// A token must name one of these; never empty.
    public var audiences: [String]
    public var algorithms: [SignatureAlgorithm]
    /// nil if they have to be fetched.
    public var keys: KeySet?
    public var source: KeySource
    /// What it sends as a bearer token with each event; nil: nothing.
    public var bearer: Secret?
}
