import Store
import Tenants

/// Why a provider's response does not lead to a sign-in.
enum SignInFailure: Error, Sendable, Equatable {
    case cancelled
    /// The provider reports an error of its own or of our configuration.
    case providerFailed
    /// The provider's token was refused.
    case refused
    case account(AccountProblem)
    /// Too many sign-ins of this account.
    case tooMany(retryAfterSeconds: Int)
    case unavailable(retryAfterSeconds: Int?)
}

extension SignInFailure {
    init(_ refusal: EndpointRefusal) {
        self = refusal.status < 500 ? .refused : .unavailable(retryAfterSeconds: refusal.retryAfterSeconds)
    }

    init(_ error: IssuingError) { self.init(EndpointRefusal(error)) }

    init(_ error: StoreError) { self.init(.storeUnavailable) }

    var problem: SignInProblem {
        switch self {
        case .cancelled, .refused: .notSignedIn
        case .providerFailed: .unavailable(retryAfterSeconds: nil)
        case .account(.otherRole(let message)): .otherRole(message)
        case .account(.refusedByHook(let status, let message)): .refusedByHook(status: status, message: message)
        case .tooMany(let seconds): .tooMany(retryAfterSeconds: seconds)
        case .account(.unavailable(let refusal)): .unavailable(retryAfterSeconds: refusal.retryAfterSeconds)
        case .unavailable(let seconds): .unavailable(retryAfterSeconds: seconds)
        }
    }

    /// A label for the log.
    var label: String {
        switch self {
        case .cancelled: "cancelled"
        case .providerFailed: "the provider failed"
        case .refused, .account, .tooMany, .unavailable: problem.label
        }
    }

    /// The error for the client; nil if the user gets a page first, because only the user can act on it.
    var authorizationError: AuthorizationError? {
        switch self {
        case .cancelled: .cancelled
        case .providerFailed: AuthorizationError(.serverError, "the provider could not complete the sign-in")
        case .refused: AuthorizationError(.accessDenied, "the provider did not confirm an identity")
        case .account(.unavailable), .tooMany, .unavailable: .unavailable
        case .account(.otherRole), .account(.refusedByHook): nil
        }
    }
}

extension BrowserEndpoints {
    /// Completes a sign-in that was consumed.
    func finish(
        _ callback: ProviderCallback,
        of transaction: SignInTransaction,
        _ leg: SignInTransaction.Leg,
        at endpoint: CallbackEndpoint,
        _ request: EndpointRequest
    ) async -> EndpointResponse {
        var subject: String?
        let client: String? =
            if case .client(let authorization) = transaction.purpose {
                authorization.client.clientID
            } else { nil }
        let response: EndpointResponse
        let outcome: String
        do throws(SignInFailure) {
            let account = try await account(callback, leg, at: endpoint, request)
            subject = account.subject
            let provider = endpoint.provider.provider
            switch transaction.purpose {
            case .client(let authorization):
                response = try await code(for: account, authorization, provider, request)
            case .web(let after): response = try await cookies(for: account, after, provider, request)
            }
            outcome = "signed in"
        } catch {
            outcome = error.label
            switch transaction.purpose {
            case .client(let authorization): response = failure(error, authorization, request)
            case .web(let after): response = failure(error, after, request)
            }
        }
        log(.info, outcome, request, client: client, provider: endpoint.provider.provider, subject: subject)
        return response
    }

    private func account(
        _ callback: ProviderCallback,
        _ leg: SignInTransaction.Leg,
        at endpoint: CallbackEndpoint,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> Account {
        let (code, givenName): (String, String?)
        switch callback {
        case .code(let text, let name): (code, givenName) = (text, name)
        case .cancelled: throw .cancelled
        case .failed: throw .providerFailed
        }
        let identity = try await mappingErrors(SignInFailure.init) { () async throws(EndpointRefusal) in
            try await endpoint.provider.identity(
                code: code,
                codeVerifier: leg.codeVerifier,
                nonce: leg.nonce,
                redirectURI: leg.redirectURI,
                at: request.now
            )
        }
        return try await mappingErrors(SignInFailure.account) { () async throws(AccountProblem) in
            try await context.accounts.signIn(identity, givenName: givenName, at: request.now)
        }
    }
}

// MARK: - For a client of the issuer

extension BrowserEndpoints {
    private func code(
        for account: Account,
        _ authorization: AuthorizationRequest,
        _ provider: SignIn.Provider,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> EndpointResponse {
        let client = authorization.client
        let grant = CodeGrant(
            clientID: client.clientID,
            redirectURI: client.redirectURI,
            codeChallenge: authorization.codeChallenge,
            scopes: authorization.scopes,
            nonce: authorization.nonce,
            subject: account.subject,
            provider: provider.rawValue,
            device: request.fields.userAgent,
            issuedAt: request.now,
            keyThumbprint: authorization.keyThumbprint
        )
        let code = try await mappingErrors(SignInFailure.init) { () async throws(StoreError) in
            try await codes.issue(grant, at: request.now)
        }
        return .redirect(
            to: client.url(code: code, issuer: context.tenant.issuer?.url ?? ""),
            subject: account.subject
        )
    }

    private func failure(
        _ failure: SignInFailure,
        _ authorization: AuthorizationRequest,
        _ request: EndpointRequest
    ) -> EndpointResponse {
        let client = authorization.client
        let issuer = context.tenant.issuer?.url ?? ""
        if let error = failure.authorizationError { return .redirect(to: client.url(error, issuer: issuer)) }
        let denied = AuthorizationError(.accessDenied, "the account cannot be used here")
        return errorPage(
            failure.problem,
            of: request,
            back: client.isLinkable
                ? SignInErrorPage.Link(
                    url: client.url(denied, issuer: issuer),
                    text: "Back to \(client.destination)"
                ) : nil
        )
    }
}
