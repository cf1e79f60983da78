import Store
import Verification

/// An exchange with a valid ID token that works once.
struct TokenExchange: Sendable {
    let request: EndpointRequest
    let nonce: String?
    /// The user's name as the app sent it, from each member that may have it.
    var names: [JSONValue] = []
    let identityToken: String
    let token: CheckedIDToken
    /// Of the provider, where the gateway redeems it.
    var authorizationCode: String?

    func record(_ sealedResponse: [UInt8]?) -> TokenExchangeRecord {
        TokenExchangeRecord(nonce: nonce, sealedResponse: sealedResponse, at: request.now)
    }
}

/// First use of an ID token, and retries: see ``TokenExchangeRecord``.
extension ExchangeEndpoints {
    /// The backend responds, to a retry as well. The record is stored before the backend gets the request.
    func forward(_ exchange: TokenExchange) async throws(EarlySignInResponse) -> Exchanged {
        try await admit(exchange.token.identity)
        if try await !add(exchange.record(nil), exchange) {
            try admitRetry(try await record(exchange), exchange)
        }
        return (.forward(ForwardedSignIn(identity: exchange.token.identity)), .forwarded)
    }

    /// Without a record, prepares a response and tries to store it. Of several at once, on any instance, one succeeds;
    /// the others discard their session and return the stored response. No request waits for another, which may be on
    /// an instance that is gone.
    func issue(_ exchange: TokenExchange) async throws(EarlySignInResponse) -> Exchanged {
        let binding = try await binding(exchange.request)
        if let record = try await record(exchange) { return try await again(record, exchange, binding) }
        let now = exchange.request.now
        let name = exchange.names.lazy.compactMap(givenName).first
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
        if try await add(exchange.record(sealed), exchange) {
            redeem(exchange.authorizationCode, of: exchange.token.identity, for: session, exchange.token.clientID)
            return (.response(session.response), .issued)
        }
        await opener.abandon(session, at: now)
        return try await again(try await record(exchange), exchange, binding)
    }

    /// The response to a retry, if it proves the same key as the first request.
    ///
    /// - Parameter record: Nil for one that has just expired, with its token.
    private func again(
        _ record: TokenExchangeRecord?,
        _ exchange: TokenExchange,
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

    private func admitRetry(_ record: TokenExchangeRecord?, _ exchange: TokenExchange) throws(EarlySignInResponse) {
        guard let record, record.allowsRetry(nonce: exchange.nonce, at: exchange.request.now) else {
            throw Self.spent
        }
    }

    private func record(_ exchange: TokenExchange) async throws(EarlySignInResponse) -> TokenExchangeRecord? {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(StoreError) in
            try await records.read(exchange.token)
        }
    }

    private func add(
        _ record: TokenExchangeRecord,
        _ exchange: TokenExchange
    ) async throws(EarlySignInResponse) -> Bool {
        try await mappingErrors(EarlySignInResponse.init) { () async throws(StoreError) in
            try await records.add(record, for: exchange.token, at: exchange.request.now)
        }
    }

    private static let spent = EarlySignInResponse(.invalidToken("the identity token was used before: get a new one"))
}
