import Store

extension OAuthError {
    init(_ error: StoreError) { self = .storeUnavailable }

    init(_ error: IssuingError) {
        switch error {
        case .refused(.scopeExceeded):
            self = OAuthError(.invalidScope, status: 400, "a requested scope was not granted")
        case .refused: self = .invalidGrant("the session has ended: sign in again")
        case .unavailable: self = .storeUnavailable
        case .cannotSign: self = .keysUnavailable
        }
    }
}

extension SignInContext {
    /// - Returns: Nil if there is none, or it may not sign in here.
    func account(ofSubject subject: String) async throws(OAuthError) -> Account? {
        do throws(AccountProblem) {
            return try await accounts.account(ofSubject: subject)
        } catch {
            switch error {
            case .otherRole, .refusedByHook, .notAllowed: return nil
            case .unavailable: throw .accountsUnavailable
            }
        }
    }
}
