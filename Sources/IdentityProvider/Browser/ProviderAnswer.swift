/// What a provider says in the browser's hands (RFC 6749 sections 4.1.2 and 4.1.2.1): a code, or that there is none.
enum ProviderAnswer: Sendable, Equatable {
    /// - Parameter givenName: What Apple tells of the name, with the first sign-in only. The browser brings it, not
    ///   Apple: it is the person's own word.
    case code(String, givenName: String?)
    case cancelled
    /// Any other error.
    case failed
}

/// A request to a callback, read.
struct ProviderReturn: Sendable, Equatable {
    /// Longer than any provider's code.
    private static let longestCode = 4096

    let state: SignInState
    /// Nil where the request has neither code nor error: the browser was sent here to show its cookie.
    let answer: ProviderAnswer?
    /// Who says that it answers (RFC 9207); nil where it does not say.
    let issuer: String?

    /// - Returns: Nil for what no provider and no browser of ours sends.
    init?(_ parameters: [UInt8]) {
        guard let fields = try? FormFields(parameters), let state = fields["state"].flatMap(SignInState.init) else {
            return nil
        }
        self.state = state
        issuer = fields["iss"]
        switch (fields["code"], fields["error"]) {
        case (let code?, nil) where code.utf8.count <= Self.longestCode:
            answer = .code(code, givenName: fields["user"].flatMap(AppleUserField.name))
        case (nil, "access_denied"), (nil, "user_cancelled_authorize"): answer = .cancelled
        case (nil, .some): answer = .failed
        case (nil, nil): answer = nil
        case (.some, _): return nil
        }
    }
}
