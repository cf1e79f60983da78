import Localization
import Store
import Tenants

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
            let signedIn = try await signedIn(callback, leg, at: endpoint, request)
            subject = signedIn.account.subject
            switch transaction.purpose {
            case .client(let authorization):
                let way = SignInWay(signedIn.identity)
                let (code, cookie) = try await begin(
                    signedIn.account,
                    way,
                    signedIn.identity,
                    transaction.demand,
                    isProven: way.isProof(askedAnew: transaction.demand.isAnew ? endpoint.provider : nil),
                    authorization,
                    request
                )
                let client = authorization.client
                var granted = answer(client, code: code, request, subject: signedIn.account.subject)
                granted.fields += cookie
                response = granted
            case .web(let after):
                response = try await cookies(
                    for: signedIn.account,
                    after,
                    SignInWay(signedIn.identity),
                    isAskedAnew: transaction.demand.isAnew,
                    request
                )
            }
            outcome = "signed in"
            count(.issued, endpoint)
        } catch {
            outcome = error.label
            count(error.outcome, endpoint)
            switch transaction.purpose {
            case .client(let authorization): response = failure(error, authorization, request)
            case .web(let after): response = failure(error, after, request)
            }
        }
        log(.info, outcome, request, client: client, provider: endpoint.provider.provider, subject: subject)
        return response
    }

    private func count(_ outcome: SignInCounts.Outcome, _ endpoint: CallbackEndpoint) {
        counts.count(tenant: context.tenant.name, provider: endpoint.provider.provider, outcome: outcome)
    }

    private func signedIn(
        _ callback: ProviderCallback,
        _ leg: SignInTransaction.Leg,
        at endpoint: CallbackEndpoint,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> SignedIn {
        let (code, givenName): (String, String?)
        switch callback {
        case .code(let text, let name): (code, givenName) = (text, name)
        case .cancelled: throw .cancelled
        case .failed: throw .providerFailed
        }
        let provider = endpoint.provider
        let identity = try await mappingErrors({ SignInFailure($0, of: provider) }) {
            () async throws(EndpointRefusal) in
            try await provider.identity(
                code: code,
                codeVerifier: leg.codeVerifier,
                nonce: leg.nonce,
                redirectURI: leg.redirectURI,
                at: request.now
            )
        }
        let account = try await mappingErrors(SignInFailure.account) { () async throws(AccountProblem) in
            try await context.accounts.signIn(identity, givenName: givenName, at: request.now)
        }
        await context.grants?.keep(identity.given, of: identity, forSubject: account.subject, at: request.now)
        return SignedIn(account: account, identity: identity)
    }
}

/// Somebody whom a provider has signed in, and whom the tenant lets in.
struct SignedIn: Sendable {
    let account: Account
    let identity: ProviderIdentity

    var provider: SignIn.Provider { identity.provider }
}

// MARK: - For a client of the issuer

extension BrowserEndpoints {
    /// Begins a session at the issuer for somebody who has just signed in on the page, and gives the client a code in it.
    ///
    /// - Parameters:
    ///   - identity: The provider's; nil after a passkey.
    ///   - isProven: Whether they have proved who they are.
    /// - Returns: The code, and the cookie of the session at the issuer.
    func begin(
        _ account: Account,
        _ way: SignInWay,
        _ identity: ProviderIdentity?,
        _ demand: SignInDemand,
        isProven: Bool,
        _ authorization: AuthorizationRequest,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> (code: String, cookies: [EndpointResponse.Field]) {
        if let problem = demand.problem(subject: account.subject, signedInAt: way.signedInAt, isProven: isProven) {
            throw .notAsDemanded(problem)
        }
        let begun = try await singleSignOn?.begin(account, way, identity, isProven: isProven, request)
        let proof = SessionProof(
            way: way,
            signedInAt: request.now,
            authenticatedAt: min(way.signedInAt ?? request.now, request.now),
            isProven: isProven,
            singleSignOn: begun?.group
        )
        let code = try await code(for: account, authorization, proof, request)
        return (code, begun.map { [$0.cookie] } ?? [])
    }

    func code(
        for account: Account,
        _ authorization: AuthorizationRequest,
        _ proof: SessionProof,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> String {
        let client = authorization.client
        let grant = CodeGrant(
            clientID: client.clientID,
            redirectURI: client.redirectURI,
            codeChallenge: authorization.codeChallenge,
            scopes: authorization.scopes,
            nonce: authorization.nonce,
            subject: account.subject,
            provider: proof.way.name,
            claims: proof.way.claims,
            device: request.fields.userAgent,
            address: ClientAddressText.text(of: request.clientAddress),
            methods: proof.way.methods,
            signedInAt: proof.signedInAt,
            authenticatedAt: proof.authenticatedAt,
            isProven: proof.isProven,
            singleSignOn: proof.singleSignOn,
            issuedAt: request.now,
            keyThumbprint: authorization.keyThumbprint
        )
        return try await mappingErrors(SignInFailure.init) { () async throws(StoreError) in
            try await codes.issue(grant, at: request.now)
        }
    }

    private func failure(
        _ failure: SignInFailure,
        _ authorization: AuthorizationRequest,
        _ request: EndpointRequest
    ) -> EndpointResponse {
        let client = authorization.client
        if let error = failure.authorizationError { return answer(client, error, request) }
        let denied = AuthorizationError(.accessDenied, "the account cannot be used here")
        return errorPage(
            failure.problem,
            of: request,
            back: client.isLinkable && client.mode == .query
                ? SignInErrorPage.Link(
                    url: client.url(client.fields(denied, issuer: context.tenant.issuer?.url ?? ""))
                ) { texts in
                    FilledText.plain(texts.backTo, client.destination)
                } : nil
        )
    }
}
