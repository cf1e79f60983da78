public import Verification

/// What requested tokens are bound to: the key or certificate proved with the request.
public struct TokenBinding: Sendable, Equatable {
    /// The binding of access tokens.
    public var confirmation: Confirmation
    /// Whether refresh tokens are bound as well: those of clients without a secret, which have no other protection
    /// against theft (RFC 9449 section 5, RFC 8705 section 4). A client with a secret needs only that for its refresh
    /// tokens, so that it can change its key.
    public var bindsSession: Bool

    public init(_ confirmation: Confirmation, bindsSession: Bool) {
        self.confirmation = confirmation
        self.bindsSession = bindsSession
    }

    /// The session's binding; nil if it is unbound.
    var ofSession: Confirmation? { bindsSession ? confirmation : nil }
}
