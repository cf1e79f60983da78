/// The error that a client gets instead of a code (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6).
struct AuthorizationError: Error, Sendable, Equatable {
    enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case accessDenied = "access_denied"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
        case loginRequired = "login_required"
        case interactionRequired = "interaction_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
    }

    let code: Code
    /// For developers: ASCII, without client input.
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension AuthorizationError {
    static let cancelled = AuthorizationError(.accessDenied, "the sign-in was cancelled")
    static let loginRequired = AuthorizationError(.loginRequired, "the user has to sign in for this")
    static let notAskedAnew = AuthorizationError(
        .loginRequired,
        "the provider does not say when the user signed in, and cannot be told to ask again"
    )
    static let interactionRequired = AuthorizationError(
        .interactionRequired,
        "the user has to confirm the sign-in: another app could have claimed this redirect URI"
    )
    static let unavailable = AuthorizationError(
        .temporarilyUnavailable,
        "signing in is not possible at the moment: try again"
    )
}
