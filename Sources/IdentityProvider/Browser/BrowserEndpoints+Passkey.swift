import Localization
import Store
import Tenants
import Verification

/// Signing in with a passkey instead of a provider (WebAuthn Level 2 section 7.2), on a page that began the sign-in.
///
/// The page's script posts the response, since a form that leads on to another site is stopped by the page's policy.
/// What it gets is JSON: where to go on, or a message and the next challenge.
extension BrowserEndpoints {
    /// The site of passkeys, if they work on the host of the request.
    func site(of request: EndpointRequest) -> PasskeySite? {
        guard context.keeping != nil, context.tenant.signIn?.accountPage != nil,
            let rules = context.tenant.signIn?.passkeys
        else { return nil }
        let site = PasskeySite(rules, of: context.tenant)
        return site.isFor(request) ? site : nil
    }

    func prompt(_ transaction: SignInTransaction, _ id: SignInID, _ request: EndpointRequest) -> PasskeyPrompt? {
        guard let challenge = transaction.passkeyChallenge, let site = site(of: request),
            let page = context.tenant.signIn?.accountPage
        else { return nil }
        return PasskeyPrompt(
            state: id.text,
            challenge: Base64URL.encode(challenge),
            relyingParty: site.rules.relyingParty,
            url: page.below(.signIn),
            script: page.below(.script),
            authority: request.authority,
            texts: AccountTexts(frame.language(of: request))
        )
    }

    func signInWithPasskey(_ request: EndpointRequest) async -> EndpointResult {
        guard CrossSiteCheck(context.tenant).allows(request) else { return .refused(.crossSite) }
        do throws(SignInProblem) {
            return .response(try await passkeyResponse(request))
        } catch {
            log(.info, error.label, request)
            return .response(Self.json(error.status, AccountTexts(frame.language(of: request)).passkeyFailed))
        }
    }

    private func passkeyResponse(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let site = site(of: request), let keeping = context.keeping,
            let fields = try? FormFields(try parameters(of: request)),
            let id = fields["state"].flatMap({ SignInID(Substring($0)) }),
            let response = PasskeyFields.assertion(fields)
        else { throw .malformed }
        let (challenge, stored) = try await takeChallenge(of: id, request)
        let next = stored.transaction.passkeyChallenge ?? []
        do throws(PasskeyProblem) {
            let expectation = site.expectation(challenge, of: request)
            let (account, passkey) = try await keeping.signIn(response.claim, at: request.now) {
                credential throws(PasskeyFailure) in
                try response.assertion.verify(credential, expectation)
            }
            guard stored.transaction.demand.isMet(by: account.subject) else {
                return otherAccount(stored.transaction.demand, account, next, request)
            }
            return try await finish(stored, account, SignInWay(passkey), request)
        } catch {
            return refused(error, response.claim, next, request)
        }
    }

    /// Uses the challenge of a sign-in up: of all attempts, on any instance, one gets it. The sign-in goes on with
    /// another, since people may try again, or choose a provider.
    private func takeChallenge(
        of id: SignInID,
        _ request: EndpointRequest
    ) async throws(SignInProblem) -> (challenge: [UInt8], SignInTransactions.Stored) {
        let stored = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await transactions.read(id, at: request.now)
        }
        guard let stored, let challenge = stored.transaction.passkeyChallenge else { throw .over }
        guard SignInBinding.find(id, hash: stored.transaction.bindingHash, in: request) == .matching else {
            throw .otherBrowser
        }
        var transaction = stored.transaction
        transaction.passkeyChallenge = RandomBytes.make(PasskeyChallenges.length)
        let renewed = transaction
        let again = try await mappingErrors(SignInProblem.init) {
            () async throws(StoreError) -> SignInTransactions.Stored? in
            guard try await transactions.replace(stored, with: renewed) else { return nil }
            return try await transactions.read(id, at: request.now)
        }
        guard let again else { throw .over }
        return (challenge, again)
    }

    /// Completes a sign-in, unless it was completed otherwise meanwhile.
    private func finish(
        _ stored: SignInTransactions.Stored,
        _ account: Account,
        _ way: SignInWay,
        _ request: EndpointRequest
    ) async throws(PasskeyProblem) -> EndpointResponse {
        var isUsed = false
        do throws(StoreError) {
            isUsed = try await transactions.consume(stored)
        } catch {
            throw .account(.unavailable(.storeUnavailable))
        }
        let texts = AccountTexts(frame.language(of: request))
        guard isUsed else { return Self.json(SignInProblem.over.status, texts.passkeyFailed) }
        var response: EndpointResponse
        do throws(SignInFailure) {
            switch stored.transaction.purpose {
            case .client(let authorization) where authorization.client.isLinkable:
                response = try await answer(account, way, authorization, stored.transaction.demand, request)
            case .client: throw .refused
            case .web(let after):
                response = try await cookies(
                    for: account,
                    after,
                    way,
                    isAskedAnew: stored.transaction.demand.isAnew,
                    request,
                    isFromElsewhere: false
                )
            }
        } catch {
            log(.info, error.label, request, subject: account.subject)
            if case .notAsDemanded = error { return Self.json(error.problem.status, texts.passkeyFailed) }
            return Self.json(error.problem.status, texts.unavailable)
        }
        log(.info, "signed in by passkey", request, subject: account.subject)
        counts.count(tenant: context.tenant.name, passkey: .signedIn)
        response.fields.append(SignInBinding.clearingCookie(of: stored.id, isSecure: request.isSecure))
        return response.status == 200 ? response : Self.json(redirect: response)
    }

    /// The code for a client: a redirect, or what the script posts.
    private func answer(
        _ account: Account,
        _ way: SignInWay,
        _ authorization: AuthorizationRequest,
        _ demand: SignInDemand,
        _ request: EndpointRequest
    ) async throws(SignInFailure) -> EndpointResponse {
        let (code, cookies) = try await begin(account, way, nil, demand, isProven: true, authorization, request)
        let client = authorization.client
        let fields = client.fields(code: code, issuer: context.tenant.issuer?.url ?? "")
        switch client.mode {
        case .query: return .redirect(to: client.url(fields), fields: cookies, subject: account.subject)
        case .formPost:
            var values = JSONObject()
            for (name, value) in fields { values[name] = .string(value) }
            let form: JSONObject = ["url": .string(client.redirectURI), "fields": .object(values)]
            return .json(["form": .object(form)], fields: cookies, subject: account.subject)
        }
    }

    /// The sign-in goes on: with another passkey, with a provider, or back to the app.
    private func otherAccount(
        _ demand: SignInDemand,
        _ account: Account,
        _ next: [UInt8],
        _ request: EndpointRequest
    ) -> EndpointResponse {
        log(.info, "passkey of another account than the client wants", request, subject: account.subject)
        let texts = AccountTexts(frame.language(of: request))
        let message = demand.subjectName.map { FilledText.plain(texts.otherAccountNamed, $0) } ?? texts.otherAccount
        return Self.json(403, message, next)
    }

    private func refused(
        _ problem: PasskeyProblem,
        _ claim: PasskeyClaim,
        _ next: [UInt8],
        _ request: EndpointRequest
    ) -> EndpointResponse {
        let language = frame.language(of: request)
        let texts = AccountTexts(language)
        switch problem {
        case .unknown:
            counts.count(tenant: context.tenant.name, passkey: .refused)
            log(.info, "passkey unknown", request)
            return Self.json(401, texts.passkeyFailed, next)
        case .refused(let failure, let subject):
            let isCopied = failure == .counterWentBack
            counts.count(tenant: context.tenant.name, passkey: isCopied ? .counterWentBack : .refused)
            log(
                isCopied ? .warning : .notice,
                "passkey refused: \(failure)",
                request,
                subject: subject,
                passkey: Base64URL.encode(claim.id)
            )
            return Self.json(401, texts.passkeyFailed, next)
        case .account(let problem):
            let failure = SignInFailure.account(problem)
            log(.info, failure.label, request)
            let message =
                switch problem {
                case .otherRole(let role): FilledText.plain(SignInTexts(language).otherRole, role)
                case .refusedByHook(_, let message): message
                case .notAllowed: texts.passkeyFailed
                case .unavailable: texts.unavailable
                }
            return Self.json(failure.problem.status, message, next)
        }
    }

    // MARK: Responses

    private static func json(_ status: Int, _ message: String, _ challenge: [UInt8]? = nil) -> EndpointResponse {
        var object: JSONObject = ["message": .string(message)]
        object["challenge"] = challenge.map(JSONValue.bytes)
        // Every response with this status needs one (RFC 9110 section 15.5.2).
        let fields = status == 401 ? [EndpointResponse.Field("WWW-Authenticate", "Bearer")] : []
        return .json(object, status: status, fields: fields)
    }

    /// A redirect, for the script to follow.
    private static func json(redirect response: EndpointResponse) -> EndpointResponse {
        let location = response.fields.first { $0.name == "Location" }?.value ?? ""
        let cookies = response.fields.filter { $0.name == "Set-Cookie" }
        return .json(["location": .string(location)], fields: cookies, subject: response.subject)
    }
}
