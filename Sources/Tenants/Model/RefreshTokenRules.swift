/// What becomes of a refresh token that is used (RFC 9700 section 4.14.2).
public enum RefreshRotation: String, Sendable, CaseIterable {
    /// Its successor replaces it. A late use of it means that it has leaked, and ends the session.
    case enforce
    /// Its successor replaces it. A late use is only logged and counted, and gives the same successor again.
    case log
    /// It stays the same.
    case off
}

/// The form in which clients get refresh tokens; the gateway accepts both.
public enum RefreshFormat: String, Sendable, CaseIterable {
    case opaque
    /// A signed JWT of the type `rt+jwt`.
    case jwt
}
