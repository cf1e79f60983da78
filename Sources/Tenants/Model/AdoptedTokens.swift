public import Verification

/// Which tokens of former issuers (`refresh.adopt`) are exchanged for sessions of the tenant's own issuer.
public enum AdoptedTokens {
    /// How many issuers `adopt` may name.
    public static let mostIssuers = 16
    /// How many clients `adopt_clients` may name.
    public static let mostClients = 64
    /// In bytes. A subject goes into request fields and logs.
    private static let longestSubject = 255

    /// Whether a good token of this caller is exchanged for a session.
    ///
    /// Not if it is a machine's, or acts for somebody else: nobody has signed in with it. Nor if it was made for a client
    /// that is not the tenant's own: people may have let that one read something, and a session of ours may do all that
    /// they may. Nor if it is opaque: only its server knows what it stands for.
    public static func areAdopted(_ principal: Principal, _ tenant: Tenant) -> Bool {
        guard let refresh = tenant.refresh, !refresh.adopted.isEmpty, tenant.mode == .enforce, !principal.isOpaque
        else { return false }
        return refresh.adopted.contains { $0.utf8.elementsEqual(principal.issuer.utf8) } && isPerson(principal)
            && isAccessToken(principal.claims) && otherClient(principal, refresh) == nil
    }

    /// The client that a token was made for, if it is none of `adopt_clients`; nil also for a token that names none.
    public static func otherClient(_ principal: Principal, _ refresh: RefreshRules) -> String? {
        for name in ["client_id", "azp"] {
            guard let claim = principal.claims[name] else { continue }
            guard let client = claim.string else { return name }
            guard refresh.adoptedClients.contains(where: { $0.utf8.elementsEqual(client.utf8) }) else { return client }
        }
        return nil
    }

    /// Whether it is not one of the tokens that issuers make besides, for the same audience in some cases: an ID token,
    /// which travels in URLs (`id_token_hint`), a refresh token, a logout token or a security event.
    private static func isAccessToken(_ claims: JSONObject) -> Bool {
        for name in ["events", "at_hash", "c_hash", "s_hash"] where claims[name] != nil { return false }
        // Some issuers keep the nonce of the sign-in in access tokens, which have scopes too.
        if claims["nonce"] != nil, claims["scope"] == nil, claims["scp"] == nil { return false }
        // Keycloak's and Cognito's.
        if let type = claims["typ"], !["Bearer", "DPoP"].contains(type.string) { return false }
        if let use = claims["token_use"], use.string != "access" { return false }
        return true
    }

    private static func isPerson(_ principal: Principal) -> Bool {
        guard let subject = principal.subject, !subject.isEmpty, subject.utf8.count <= longestSubject,
            subject.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return false }
        let claims = principal.claims
        // A token that was exchanged for another has its actor there (RFC 8693 section 4.1).
        guard claims["act"] == nil else { return false }
        // A client's own token has the client as its subject (RFC 9068 section 2.2); some issuers say it in claims of
        // their own.
        for name in ["client_id", "azp"] {
            if let client = claims[name]?.string, client.utf8.elementsEqual(subject.utf8) { return false }
        }
        return claims["gty"]?.string != "client-credentials" && claims["idtyp"]?.string != "app"
    }
}

extension RefreshRules {
    /// Whether a client with its token in this location can be given another one for good.
    ///
    /// Not with a token in a URL or among WebSocket protocols: whoever puts it there takes no response field. Nor with
    /// one in a cookie that the new token does not replace: the client would send both from then on.
    public func deliversSessions(to source: TokenSource) -> Bool { delivery.deliversSessions(to: source) }
}

extension RefreshDelivery {
    private static let webSocketProtocol = "sec-websocket-protocol"
    /// In the response of the tenant's own issuer.
    private static let accessToken = JSONPointer("/access_token")

    func deliversSessions(to source: TokenSource) -> Bool {
        switch source {
        case .query: false
        case .header(let name): header != nil && name != Self.webSocketProtocol
        case .bearer: header != nil
        case .cookie(let name): cookies.contains { $0.name == name && $0.value == Self.accessToken }
        }
    }
}
