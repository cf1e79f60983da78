import Tenants
package import Time
package import Verification

/// Verifies tokens from apps and events from Apple, by the rules of one tenant.
struct ProviderChecks: ExchangeChecking {
    let apple: AppleSignIn?
    let google: GoogleSignIn?
    /// The tenant's `who`, for the groups that count.
    let who: SignInAdmission?
    let tokens: any ProviderTokens
    let requests: any ProviderRequests

    func appleIdentity(
        _ token: String,
        rawNonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken {
        guard let apple else { throw .notSetUp(.apple) }
        let kind = ProviderTokenKind.appleIdentity
        let principal = try await tokens.principal(of: token, as: kind, at: now)
        guard IDTokenAudience.isValid(principal, for: apple.clientIDs, isOwnFlow: false) else { throw .foreign(kind) }
        // `nonce_supported: false` changes nothing: a token without a nonce can be used by anyone who has it.
        if let problem = AppleNonce.problem(claim: principal.claims["nonce"], raw: rawNonce, rule: apple.nonce) {
            throw .invalidToken("\(kind.noun) is refused: \(problem)")
        }
        return try Self.checked(token, principal, try kind.identity(principal), kind, for: apple.clientIDs)
    }

    func googleIdentity(idToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity {
        guard let google else { throw .notSetUp(.google) }
        let kind = ProviderTokenKind.googleIdentity
        let principal = try await tokens.principal(of: idToken, as: kind, at: now)
        guard IDTokenAudience.isValid(principal, for: google.clientIDs, isOwnFlow: false) else { throw .foreign(kind) }
        return try kind.identity(principal)
    }

    /// A nonce proves that the app asked for this very token. It does not prove that the sender is the app, since whoever
    /// has the token can read it there: that each works once is what limits a stolen one.
    func namedIdentity(
        _ provider: NamedProvider,
        idToken: String,
        nonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken {
        let kind = ProviderTokenKind.namedIdentity(provider.name)
        let principal = try await tokens.principal(of: idToken, as: kind, at: now)
        let clientIDs = provider.exchange?.clientIDs ?? []
        guard IDTokenAudience.isValid(principal, for: clientIDs, isOwnFlow: true) else { throw .foreign(kind) }
        switch (principal.claims["nonce"], nonce) {
        case (nil, nil): break
        case (let claim?, let nonce?):
            guard let text = claim.string, PlainText.areEqual(text, nonce) else {
                throw .invalidToken("\(kind.noun) is refused: its nonce is not the request's")
            }
        case (nil, _?): throw .invalidToken("\(kind.noun) is refused: the request has a nonce, and the token has none")
        case (_?, nil): throw .invalidToken("\(kind.noun) is refused: the token has a nonce, and the request has none")
        }
        try IDTokenChecks.check(idToken, principal.claims, kind, accessToken: nil)
        guard let identity = NamedIdentity(provider, who: who).identity(principal.claims) else {
            throw .invalidToken("\(kind.noun) is refused: its subject is missing or malformed")
        }
        return try Self.checked(idToken, principal, identity, kind, for: clientIDs)
    }

    func appleEvent(_ body: [UInt8], at now: UnixTime) async throws(EndpointRefusal) -> AppleEvent {
        guard apple != nil else { throw .notSetUp(.apple) }
        guard let token = (try? JSONParser.parse(body))?.object?["payload"]?.string else {
            throw .badRequest("the body is not {\"payload\": JWS}")
        }
        return try AppleEvent(try await tokens.principal(of: token, as: .appleNotification, at: now), at: now)
    }

    private static func checked(
        _ token: String,
        _ principal: Principal,
        _ identity: ProviderIdentity,
        _ kind: ProviderTokenKind,
        for clientIDs: [String]
    ) throws(EndpointRefusal) -> CheckedIDToken {
        guard let expiresAt = principal.expiresAt else { throw .invalidToken("\(kind.noun) is refused: it has no exp") }
        return CheckedIDToken(
            identity: identity,
            signingInputSHA256: SHA256.digest(Array(token.utf8.prefix(signingInputLength(token)))),
            expiresAt: expiresAt,
            clientID: clientIDs.first { principal.audiences.contains($0) }
        )
    }

    /// Up to the second dot, which is the last one (RFC 7515 section 7.1).
    private static func signingInputLength(_ token: String) -> Int {
        guard let dot = token.utf8.lastIndex(of: UInt8(ascii: ".")) else { return token.utf8.count }
        return token.utf8.distance(from: token.utf8.startIndex, to: dot)
    }
}

extension ProviderTokens {
    /// The claims of a token that satisfies the policy of its kind.
    package func principal(
        of token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> Principal {
        switch await verify(token, as: kind, at: now) {
        case .success(let principal): return principal
        case .failure(let problem): throw EndpointRefusal(problem, kind)
        }
    }
}

extension ProviderTokenKind {
    /// The identity in a token of this kind.
    func identity(_ principal: Principal) throws(EndpointRefusal) -> ProviderIdentity {
        guard let identity = ProviderIdentity(principal.claims, of: provider) else {
            throw .invalidToken("\(noun) is refused: its sub is missing or malformed")
        }
        return identity
    }
}
