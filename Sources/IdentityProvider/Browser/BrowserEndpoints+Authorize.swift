import Store
import Tenants
import Time
import TokenSigning

extension BrowserEndpoints {
    /// Bytes of an authorization request: the limit of most servers' request lines, and of each parameter.
    private static let longestRequest = 8192

    /// The authorization endpoint (RFC 6749 section 3.1): a code, the page with the providers, or an error. The error
    /// goes to the client if that is known for certain, otherwise to the user.
    func authorize(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let issuer = context.tenant.issuer else { throw .unknownClient }
        let parameters = try parameters(of: request)
        guard parameters.count <= Self.longestRequest else { throw .malformed }
        if let response = try await goOn(parameters, request) { return response }
        switch AuthorizationRequestResult(parameters, clients: issuer.clients, bindsCodes: context.tenant.proof != nil)
        {
        case .untrusted: throw .unknownClient
        case .refused(let error, let client): return refuse(client, error, request)
        case .valid(let authorization):
            guard !page.isEmpty else { return refuse(authorization.client, .unavailable, request) }
            var request = request
            request.fields.acceptLanguage =
                authorization.authentication.acceptedLanguages(before: request.fields.acceptLanguage)
            return try await decided(authorization, issuer, request)
        }
    }

    /// The path to which a provider returns for the page.
    static func callbackPath(_ provider: SignIn.Provider, _ issuer: BuiltInIssuer) -> String {
        issuer.basePath + IssuerPath.callback(of: provider)
    }

    private func decided(
        _ authorization: AuthorizationRequest,
        _ issuer: BuiltInIssuer,
        _ request: EndpointRequest
    ) async throws(SignInProblem) -> EndpointResponse {
        let client = authorization.client
        let found: SingleSignOn.Found?
        let hint: SubjectHint
        do throws(SignInFailure) {
            hint = try await self.hint(authorization.authentication.idTokenHint, request)
            // A script or a frame gets no code of the person's whose browser it runs in.
            found = request.isOpened ? try await singleSignOn?.find(request) : nil
        } catch {
            log(.info, error.label, request, client: client.clientID)
            return refuse(client, .unavailable, request)
        }
        let decision = SingleSignOnDecision(
            authorization.authentication,
            hint: hint,
            session: found?.session,
            isReturnSafe: client.isSafe(isPublic: issuer.clients.named(client.clientID)?.isPublic ?? true),
            offersPasskeys: client.isLinkable && site(of: request) != nil,
            at: request.now
        )
        func demand(isAnew: Bool) -> SignInDemand {
            SignInDemand(authorization.authentication, hint: hint, isAnew: isAnew, at: request.now)
        }
        switch (decision, found) {
        case (.proceed, let found?):
            return await proceed(authorization, found, .used, request)
        case (.offer, let found?):
            var demand = demand(isAnew: false)
            demand.offered = found.session.id
            return try await hostedPage(authorization, demand, offering: found.account, issuer, request)
        case (.signIn(let isAnew), _):
            return try await hostedPage(authorization, demand(isAnew: isAnew), issuer, request)
        case (.refuse(let error), _): return refuse(client, error, request)
        // Only a session leads there.
        case (.proceed, nil), (.offer, nil): return refuse(client, .loginRequired, request)
        }
    }

    /// The subject of an ID token of ours for any client, which may be expired.
    private func hint(_ token: String?, _ request: EndpointRequest) async throws(SignInFailure) -> SubjectHint {
        guard let token else { return .none }
        switch await tokens?.verify(token, as: .id, at: request.now, allowExpired: true) {
        case .success(let principal)?:
            // No more than the token says, whoever sends it.
            let name = principal.claims["name"]?.string ?? principal.claims["email"]?.string
            return principal.subject.map { .subject($0, name: name) } ?? .unreadable
        case .failure(.unavailable)?: throw .unavailable(retryAfterSeconds: nil)
        case .failure?, nil: return .unreadable
        }
    }

    private func hostedPage(
        _ authorization: AuthorizationRequest,
        _ demand: SignInDemand,
        offering account: Account? = nil,
        _ issuer: BuiltInIssuer,
        _ request: EndpointRequest
    ) async throws(SignInProblem) -> EndpointResponse {
        let redirectURIs = page.map { ($0.provider, request.origin + Self.callbackPath($0.provider, issuer)) }
        let client = authorization.client
        let begun: (id: SignInID, transaction: SignInTransaction, cookie: EndpointResponse.Field)
        do throws(StoreError) {
            begun = try await begin(
                .client(authorization),
                Dictionary(redirectURIs) { first, _ in first },
                demand: demand,
                for: request
            )
        } catch {
            return refuse(client, .unavailable, request)
        }
        let target = PagePolicy.source(of: client.redirectURI)
        let continuing = account.map { account in
            ContinueForm(
                state: begun.id.text,
                name: account.name ?? account.email,
                path: issuer.basePath + IssuerPath.authorize.rawValue,
                target: target
            )
        }
        // A link cannot post: people go back by their browser then.
        let cancelURL =
            client.isLinkable && client.mode == .query
            ? client.url(client.fields(.cancelled, issuer: issuer.url)) : nil
        var response = try await page(
            of: page,
            begun,
            destination: client.destination,
            cancelURL: cancelURL,
            passkey: client.isLinkable ? prompt(begun.transaction, begun.id, request) : nil,
            continuing: continuing,
            formTarget: client.mode == .formPost ? target : nil,
            for: request
        )
        if continuing != nil { response.fields.append(PageFrame.ownGroup) }
        if let singleSignOn { response.fields.append(singleSignOn.browserCookie(for: request)) }
        return response
    }

    private func refuse(
        _ client: ClientReturn,
        _ error: AuthorizationError,
        _ request: EndpointRequest
    ) -> EndpointResponse {
        log(.info, error.code.rawValue, request, client: client.clientID)
        return answer(client, error, request)
    }
}

// MARK: - Within a session at the issuer

extension BrowserEndpoints {
    /// The form of the page that offers to go on with the session at the issuer.
    ///
    /// - Returns: Nil for any other request.
    private func goOn(
        _ parameters: [UInt8],
        _ request: EndpointRequest
    ) async throws(SignInProblem) -> EndpointResponse? {
        guard request.method == "POST", let fields = try? FormFields(parameters), fields["client_id"] == nil,
            let id = fields[ContinueForm.field].flatMap({ SignInID(Substring($0)) })
        else { return nil }
        guard request.isOpened else { throw .malformed }
        let stored = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await transactions.read(id, at: request.now)
        }
        guard let stored, case .client(let authorization) = stored.transaction.purpose,
            let offered = stored.transaction.demand.offered
        else { throw .over }
        guard SignInBinding.find(id, hash: stored.transaction.bindingHash, in: request) == .matching else {
            throw .otherBrowser
        }
        let found: SingleSignOn.Found?
        do throws(SignInFailure) {
            found = try await singleSignOn?.find(request)
        } catch {
            throw error.problem
        }
        // The one that was shown, and no other that has been begun or ended since.
        guard let found, found.session.id.utf8.elementsEqual(offered.utf8) else { throw .over }
        let isUsed = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await transactions.consume(stored)
        }
        guard isUsed else { throw .over }
        var demand = stored.transaction.demand
        var response: EndpointResponse
        if let issuer = context.tenant.issuer, !found.session.isRecent(demand.maxAge, at: request.now) {
            // It was when the page was shown.
            demand.offered = nil
            demand.notBefore = demand.maxAge.map { request.now + -$0 }
            response = try await hostedPage(authorization, demand, issuer, request)
        } else {
            response = await proceed(authorization, found, .continued, request)
        }
        response.fields.append(SignInBinding.clearingCookie(of: id, isSecure: request.isSecure))
        return response
    }

    /// A code within a session at the issuer.
    private func proceed(
        _ authorization: AuthorizationRequest,
        _ found: SingleSignOn.Found,
        _ event: SignInCounts.SingleSignOnEvent,
        _ request: EndpointRequest
    ) async -> EndpointResponse {
        let client = authorization.client
        let subject = found.account.subject
        do throws(SignInFailure) {
            let code = try await code(for: found.account, authorization, SessionProof(found.session), request)
            log(.info, "single sign-on \(event.rawValue)", request, client: client.clientID, subject: subject)
            singleSignOn?.count(event)
            return answer(client, code: code, request, subject: subject)
        } catch {
            log(.info, error.label, request, client: client.clientID, subject: subject)
            return answer(client, error.authorizationError ?? .unavailable, request)
        }
    }

    // MARK: Responses to the client

    func answer(
        _ client: ClientReturn,
        _ error: AuthorizationError,
        _ request: EndpointRequest
    ) -> EndpointResponse {
        answer(client, client.fields(error, issuer: context.tenant.issuer?.url ?? ""), request)
    }

    func answer(
        _ client: ClientReturn,
        code: String,
        _ request: EndpointRequest,
        subject: String
    ) -> EndpointResponse {
        answer(client, client.fields(code: code, issuer: context.tenant.issuer?.url ?? ""), request, subject: subject)
    }

    private func answer(
        _ client: ClientReturn,
        _ fields: [(name: String, value: String)],
        _ request: EndpointRequest,
        subject: String? = nil
    ) -> EndpointResponse {
        switch client.mode {
        case .query: .redirect(to: client.url(fields), subject: subject)
        case .formPost:
            FormPostPage(url: client.redirectURI, fields: fields)
                .response(
                    in: frame,
                    frame.language(of: request),
                    further: [PageFrame.ownGroup],
                    subject: subject
                )
        }
    }
}

/// How and when the subject of a code has proved who they are, and in which session at the issuer.
struct SessionProof: Sendable {
    let way: SignInWay
    let signedInAt: UnixTime
    let authenticatedAt: UnixTime?
    let isProven: Bool
    let singleSignOn: String?
}

extension SessionProof {
    init(_ session: SingleSignOnSession) {
        self.init(
            way: session.way,
            signedInAt: session.startedAt,
            authenticatedAt: session.authenticatedAt,
            isProven: session.isProven,
            singleSignOn: session.group
        )
    }
}
