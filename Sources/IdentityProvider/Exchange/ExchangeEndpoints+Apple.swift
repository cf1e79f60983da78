import Store
import Tenants
import Verification

extension ExchangeEndpoints {
    /// Signs in the holder of an Apple identity token, which works once: see ``AppleExchangeRecord``.
    func exchange(
        _ request: EndpointRequest,
        _ apple: AppleSignIn
    ) async throws(EarlySignInResponse) -> Exchanged {
        let body = try await mappingErrors(EarlySignInResponse.init) { () throws(EndpointRefusal) in
            try AppleBody(request)
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
        let exchange = AppleExchange(request: request, body: body, identityToken: identityToken, token: token)
        switch apple.then {
        case .forward: return try await forward(exchange)
        case .issue: return try await issue(exchange)
        }
    }

    /// An exchange with a valid token.
    struct AppleExchange: Sendable {
        let request: EndpointRequest
        let body: AppleBody
        let identityToken: String
        let token: CheckedAppleToken

        func record(_ sealedResponse: [UInt8]?) -> AppleExchangeRecord {
            AppleExchangeRecord(nonce: body.nonce, sealedResponse: sealedResponse, at: request.now)
        }
    }
}

// MARK: - First use and retries

extension ExchangeEndpoints {
    /// The backend responds, to a retry as well. The record is stored before the backend gets the request.
    private func forward(_ exchange: AppleExchange) async throws(EarlySignInResponse) -> Exchanged {
        try await admit(exchange.token.identity)
        if try await !add(exchange.record(nil), exchange) {
            try admitRetry(try await record(exchange), exchange)
        }
        return (.forward(ForwardedSignIn(identity: exchange.token.identity)), .forwarded)
    }

    /// Without a record, prepares a response and tries to store it. Of several at once, on any instance, one succeeds;
    /// the others discard their session and return the stored response. No request waits for another, which may be on
    /// an instance that is gone.
    private func issue(_ exchange: AppleExchange) async throws(EarlySignInResponse) -> Exchanged {
        let binding = try await binding(exchange.request)
        if let record = try await record(exchange) { return try await again(record, exchange, binding) }
        let now = exchange.request.now
        let name = exchange.body.names.lazy.compactMap(givenName).first
        let session = try await opener.open(
            exchange.token.identity,
            givenName: name,
            boundTo: binding,
            for: exchange.request
        )
        guard let sealed = session.sealed(with: exchange.identityToken, tenant: context.tenant.name) else {
            await opener.abandon(session, at: now)
            throw EarlySignInResponse(IssuingError.cannotSign(.notSealed))
        }
        // If this fails the record may have been written all the same: the session must stay, as the response to the
        // retry. If it was not, the tokens were never sent, and the session expires.
        if try await add(exchange.record(sealed), exchange) { return (.response(session.response), .issued) }
        await opener.abandon(session, at: now)
        return try await again(try await record(exchange), exchange, binding)
    }

    /// The response to a retry, if it proves the same key as the first request.
    ///
    /// - Parameter record: Nil for one that has just expired, with its token.
    private func again(
        _ record: AppleExchangeRecord?,
        _ exchange: AppleExchange,
        _ binding: TokenBinding?
    ) async throws(EarlySignInResponse) -> Exchanged {
        try admitRetry(record, exchange)
        guard let sealed = record?.sealedResponse,
            let session = OpenedSession(
                sealed: sealed,
                with: exchange.identityToken,
                tenant: context.tenant.name
            ), session.keyThumbprint == binding?.confirmation.keyThumbprint
        else { throw Self.spent }
        guard try await opener.isLive(session, at: exchange.request.now) else {
            throw EarlySignInResponse(.invalidToken("the session that the token began has ended: sign in again"))
        }
        return (.response(session.response), .repeated)
    }

    private func admitRetry(_ record: AppleExchangeRecord?, _ exchange: AppleExchange) throws(EarlySignInResponse) {
        guard let record, record.allowsRetry(nonce: exchange.body.nonce, at: exchange.request.now) else {
            throw Self.spent
        }
    }

    private func record(_ exchange: AppleExchange) async throws(EarlySignInResponse) -> AppleExchangeRecord? {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(StoreError) in
            try await records.read(exchange.token)
        }
    }

    private func add(
        _ record: AppleExchangeRecord,
        _ exchange: AppleExchange
    ) async throws(EarlySignInResponse) -> Bool {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(StoreError) in
            try await records.add(record, for: exchange.token, at: exchange.request.now)
        }
    }

    private static let spent = EarlySignInResponse(.invalidToken("the identity token was used before: get a new one"))
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
