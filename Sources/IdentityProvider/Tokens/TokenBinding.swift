public import Verification

/// What the tokens that somebody asks for are bound to: what was proved to be held with the request for them.
public struct TokenBinding: Sendable, Equatable {
    /// Access tokens are bound to this.
    public var confirmation: Confirmation
    /// Whether refresh tokens are as well: those of clients without a secret, which nothing else keeps from a thief's
    /// use (RFC 9449 section 5, RFC 8705 section 4). Those of a client with one are good with its secret alone, so that it
    /// can change its key.
    public var bindsSession: Bool

    public init(_ confirmation: Confirmation, bindsSession: Bool) {
        self.confirmation = confirmation
        self.bindsSession = bindsSession
    }

    /// What the session is bound to; nil: to nothing.
    var ofSession: Confirmation? { bindsSession ? confirmation : nil }
}
