import Store
import Tenants
import Verification

extension ExchangeEndpoints {
    /// Signs in the holder of an Apple identity token, which works once: see ``TokenExchangeRecord``.
    func exchange(
        _ request: EndpointRequest,
        _ apple: AppleSignIn
    ) async throws(EarlySignInResponse) -> Exchanged {
        let body = try await mappingErrors(EarlySignInResponse.init) { () throws(EndpointRefusal) in
            try AppleBody(request, takesCode: apple.then == .issue && context.grants != nil)
        }
        guard let identityToken = body.identityToken else { return try takeLegacy(body, apple, request) }
        let token = try await mappingErrors(EarlySignInResponse.init) { () async throws(EndpointRefusal) in
            try await checks.appleIdentity(identityToken, rawNonce: body.nonce, at: request.now)
        }
        // A backend that uses this member, as older ones do, would sign in someone else than the token's subject. The
        // gateway itself ignores an e-mail address in the body, which may be outdated.
        try await mappingErrors(EarlySignInResponse.init) { () throws(EndpointRefusal) in
            apple.then == .forward ? try body.check(token.identity) : try body.checkSubject(token.identity)
        }
        let exchange = TokenExchange(
            request: request,
            nonce: body.nonce,
            names: body.names,
            identityToken: identityToken,
            token: token,
            authorizationCode: body.authorizationCode
        )
        switch apple.then {
        case .forward: return try await forward(exchange)
        case .issue: return try await issue(exchange)
        }
    }
}

// MARK: - Legacy bodies

extension ExchangeEndpoints {
    /// A body without a token: older apps send only `userIdentifier`, which anyone who has seen it once can send too.
    private func takeLegacy(
        _ body: AppleBody,
        _ apple: AppleSignIn,
        _ request: EndpointRequest
    ) throws(EarlySignInResponse) -> Exchanged {
        let refusal = EarlySignInResponse(
            .missing(
                "send Apple's identity token: { \"identity_token\": …, \"nonce\": … }; userIdentifier proves nothing"
            )
        )
        guard body.userIdentifier != nil else { throw refusal }
        // The gateway's own tokens are never given without proof, whatever the settings.
        let decision = apple.then == .forward ? apple.legacyBody : .deny
        let uses = counts.countLegacy(tenant: context.tenant.name, decision: decision)
        guard decision != .deny else { throw refusal }
        context.logger.warning(
            "a sign-in without proof goes on to the backend: the body has userIdentifier and no identity token",
            metadata: [
                "tenant": "\(context.tenant.name)", "decision": "\(decision.rawValue)", "uses": "\(uses)",
                "request": "\(request.id)",
            ]
        )
        return (.forward(ForwardedSignIn(identity: nil, isObserved: decision == .observe)), .unverified)
    }
}
