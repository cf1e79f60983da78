import Store
import Tenants

/// A callback endpoint: which provider returns there, and for which flow.
struct CallbackEndpoint: Sendable {
    enum Flow: Sendable, Equatable {
        case page
        case web
    }

    let flow: Flow
    let provider: any BrowserProvider

    /// The leg of a sign-in that returns here; nil for one of another flow, or without this provider.
    func leg(of transaction: SignInTransaction) -> SignInTransaction.Leg? {
        switch (transaction.purpose, flow) {
        case (.client, .page), (.web, .web): transaction.legs[provider.provider]
        case (.client, .web), (.web, .page): nil
        }
    }
}

extension SignInTransaction.Leg {
    /// Whether a request came to where the provider returns to: to that origin, and that path. At another host of the
    /// tenant's, where its cookie was carried by hand, a sign-in neither begins nor ends.
    func isReturned(to request: EndpointRequest) -> Bool {
        guard let scheme = redirectURI.firstRange(of: "://"),
            let slash = redirectURI.utf8[scheme.upperBound...].firstIndex(of: UInt8(ascii: "/")),
            let path = Self.path(redirectURI.utf8[slash...]), let requested = Self.path(request.path.utf8)
        else { return false }
        let (origin, authority) = (Array(redirectURI[..<slash].utf8), Array(request.authority.utf8))
        return path == requested
            && WebOrigin.isOwn(
                origin.span,
                authority: authority.span,
                isSecure: request.isSchemeKnown ? request.isSecure : nil
            )
    }

    /// As endpoints are found: decoded, and without a slash at the end.
    private static func path(_ text: some Sequence<UInt8>) -> [UInt8]? {
        guard let decoded = FormText.decoded(text) else { return nil }
        let path = Array(decoded.utf8)
        return path.count > 1 && path.last == UInt8(ascii: "/") ? Array(path.dropLast()) : path
    }
}

extension BrowserEndpoints {
    func pageCallback(
        _ request: EndpointRequest,
        _ name: SignIn.Provider
    ) async throws(SignInProblem) -> EndpointResponse {
        guard let provider = page.first(where: { $0.provider == name }) else { throw .malformed }
        return try await callback(request, at: CallbackEndpoint(flow: .page, provider: provider))
    }

    /// The path of a named provider for the page: it begins there, and returns there.
    func namedCallback(_ request: EndpointRequest) async throws(SignInProblem) -> EndpointResponse {
        guard let issuer = context.tenant.issuer,
            let provider = page.first(where: { Self.callbackPath($0.provider, issuer) == request.path })
        else { throw .malformed }
        let endpoint = CallbackEndpoint(flow: .page, provider: provider)
        if let begun = try await begins(request, at: endpoint) { return begun }
        return try await callback(request, at: endpoint)
    }

    /// A provider's response, delivered by a browser: accepted only for a sign-in under way, from the browser that
    /// began it, and once.
    func callback(
        _ request: EndpointRequest,
        at endpoint: CallbackEndpoint
    ) async throws(SignInProblem) -> EndpointResponse {
        let returned = try read(request, at: endpoint)
        let stored = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
            try await transactions.read(returned.state.id, at: request.now)
        }
        guard let stored, let leg = endpoint.leg(of: stored.transaction) else { throw .over }
        guard leg.isReturned(to: request) else { throw .malformed }
        switch SignInBinding.find(stored.id, hash: stored.transaction.bindingHash, in: request) {
        case .matching: break
        case .missing where request.method == "POST" && returned.callback != nil:
            // Here too: the browser comes again without the issuer.
            try await checkIssuer(returned, of: endpoint.provider, request)
            return try await store(returned, of: stored, leg)
        case .missing, .foreign: throw .otherBrowser
        }
        let callback = try Self.accepted(returned, posted: stored.transaction.posted)
        try await checkIssuer(returned, of: endpoint.provider, request)
        guard
            try await mappingErrors(
                SignInProblem.init,
                { () async throws(StoreError) in try await transactions.consume(stored) }
            )
        else {
            throw .over
        }
        var response = await finish(callback, of: stored.transaction, leg, at: endpoint, request)
        response.fields.append(SignInBinding.clearingCookie(of: stored.id, isSecure: request.isSecure))
        return response
    }

    private func read(
        _ request: EndpointRequest,
        at endpoint: CallbackEndpoint
    ) throws(SignInProblem) -> ProviderReturn {
        guard let returned = ProviderReturn(try parameters(of: request)),
            returned.state.provider == endpoint.provider.provider
        else { throw .malformed }
        // Google names the issuer in the response; Apple does not (RFC 9207 section 2.4).
        if let issuer = returned.issuer, returned.state.provider == .google {
            let signIn = context.tenant.signIn
            let known = signIn?.googleAddresses.issuers ?? GoogleSignIn.defaultIssuers
            guard known.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .malformed }
        }
        return returned
    }

    /// RFC 9207 section 2.4. The sign-in stays under way: the response may be a stranger's.
    private func checkIssuer(
        _ returned: ProviderReturn,
        of provider: any BrowserProvider,
        _ request: EndpointRequest
    ) async throws(SignInProblem) {
        guard returned.callback != nil else { return }
        let isAccepted: Bool
        do throws(EndpointRefusal) {
            isAccepted = try await provider.accepts(issuer: returned.issuer, at: request.now)
        } catch {
            throw .providerUnavailable(provider.label, retryAfterSeconds: error.retryAfterSeconds)
        }
        guard isAccepted else { throw .malformed }
    }

    /// Apple posts its response from its own site, and the browser sends no cookie with that: store the response, and
    /// make the browser come again with the cookie.
    private func store(
        _ returned: ProviderReturn,
        of stored: SignInTransactions.Stored,
        _ leg: SignInTransaction.Leg
    ) async throws(SignInProblem) -> EndpointResponse {
        guard let callback = returned.callback else { throw .malformed }
        let posted = SignInTransaction.Posted(provider: returned.state.provider, callback: callback)
        if let earlier = stored.transaction.posted {
            // The browser posts again if the page is reloaded.
            guard earlier == posted else { throw .over }
        } else {
            var transaction = stored.transaction
            transaction.posted = posted
            let isStored = try await mappingErrors(SignInProblem.init) { () async throws(StoreError) in
                try await transactions.replace(stored, with: transaction)
            }
            guard isStored else { throw .over }
        }
        return .redirect(to: FormText.url(leg.redirectURI, adding: [("state", returned.state.text)]))
    }

    /// The response in the request, or the one posted before; they must not differ.
    private static func accepted(
        _ returned: ProviderReturn,
        posted: SignInTransaction.Posted?
    ) throws(SignInProblem) -> ProviderCallback {
        switch (returned.callback, posted) {
        case (let callback?, nil): return callback
        case (nil, let posted?) where posted.provider == returned.state.provider: return posted.callback
        case (let callback?, let posted?)
        where posted == SignInTransaction.Posted(provider: returned.state.provider, callback: callback):
            return callback
        default: throw .malformed
        }
    }
}
