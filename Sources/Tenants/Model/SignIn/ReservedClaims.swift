/// Claims of the tokens of a tenant's own issuer that nothing else may set.
public enum ReservedClaims {
    /// Those that only the issuer sets: in a session's claims they would be read as the issuer's.
    public static let names: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "client_id", "scope", "auth_time", "nonce", "at_hash",
        "azp", "cnf", signedInAt,
    ]
    /// When the subject signed in at the issuer, in whole seconds of Unix time, as far as revocations of a subject or of
    /// all are concerned: `iat` becomes later with each refresh, which an instance without the latest revocations may
    /// grant, and `auth_time` is the provider's, which may let somebody in that it has known for days.
    public static let signedInAt = "gatehouse_signed_in"
    /// Those that come from the account, whose e-mail has to be a verified one.
    static let ofAccounts: Set<String> = ["email", "email_verified", "is_private_email"]
}
