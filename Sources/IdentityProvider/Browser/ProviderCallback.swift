/// A provider's response through the browser (RFC 6749 sections 4.1.2 and 4.1.2.1): a code or an error.
enum ProviderCallback: Sendable, Equatable {
    /// - Parameter givenName: The name that Apple sends with the first sign-in only. It comes through the browser,
    ///   unsigned, so the user can choose it.
    case code(String, givenName: String?)
    case cancelled
    /// Any other error.
    case failed
}

/// A parsed request to a callback.
struct ProviderReturn: Sendable, Equatable {
    /// Longer than any provider's code.
    private static let longestCode = 4096

    let state: SignInState
    /// Nil if the request has neither code nor error: the browser came to show its cookie.
    let callback: ProviderCallback?
    /// The issuer named in the response (RFC 9207); nil if there is none.
    let issuer: String?

    /// - Returns: Nil for a request that neither a provider nor our own page sends.
    init?(_ parameters: [UInt8]) {
        guard let fields = try? FormFields(parameters), let state = fields["state"].flatMap(SignInState.init) else {
            return nil
        }
        self.state = state
        issuer = fields["iss"]
        switch (fields["code"], fields["error"]) {
        case (let code?, nil) where code.utf8.count <= Self.longestCode:
            callback = .code(code, givenName: fields["user"].flatMap(AppleUserField.name))
        case (nil, "access_denied"), (nil, "user_cancelled_authorize"): callback = .cancelled
        case (nil, .some): callback = .failed
        case (nil, nil): callback = nil
        case (.some, _): return nil
        }
    }
}
