import Store

extension OAuthError {
    /// Runs a step at the store, and maps its error for the client.
    static func asking<Answer>(_ step: () async throws(StoreError) -> Answer) async throws(OAuthError) -> Answer {
        do throws(StoreError) {
            return try await step()
        } catch {
            throw .storeUnavailable
        }
    }

    /// Runs a step with sessions, and maps its error for the client.
    static func issuing<Answer>(_ step: () async throws(IssuingError) -> Answer) async throws(OAuthError) -> Answer {
        do throws(IssuingError) {
            return try await step()
        } catch {
            throw OAuthError(error)
        }
    }

    /// Maps an error of the session service.
    init(_ error: IssuingError) {
        switch error {
        case .refused(.scopeExceeded):
            self = OAuthError(.invalidScope, status: 400, "a scope was asked for that was not granted")
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
            case .otherRole, .refusedByHook: return nil
            case .unavailable: throw .accountsUnavailable
            }
        }
    }
}
