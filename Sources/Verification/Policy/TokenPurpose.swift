/// What a token is for, which its `typ` must not contradict (RFC 8725 section 3.11).
public enum TokenPurpose: Sendable, Hashable {
    /// Who the caller of a request is.
    case access
    /// That a session has ended at its issuer: `logout+jwt` (OpenID Connect Back-Channel Logout 1.0 section 2.4).
    case logout
    /// What has happened to a subject: `secevent+jwt` (RFC 8417 section 2.3).
    case securityEvent
}
