/// Why a page sent a browser to the login: the codes of refusals with 401.
enum RefusedToken: String, Sendable {
    case missing = "missing_token"
    case invalid = "invalid_token"
    case expired = "token_expired"
    case revoked = "token_revoked"
}
