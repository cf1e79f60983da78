import Tenants
import Time

extension ExchangeEndpoints {
    /// Signs in the holder of a Google token. The same token may be used repeatedly, since Google's SDKs keep it for an
    /// hour: each time is a sign-in of its own.
    func exchange(
        _ request: EndpointRequest,
        _ google: GoogleSignIn
    ) async throws(EarlySignInResponse) -> Exchanged {
        let takesCode = google.then == .issue && context.grants != nil
        let codeMembers = takesCode ? ["serverAuthCode", "server_auth_code"] : []
        let (identity, code) = try await mappingErrors(EarlySignInResponse.init) {
            () async throws(EndpointRefusal) -> (ProviderIdentity, String?) in
            let body = try ExchangeBody(request, members: ["id_token", "access_token", "email"] + codeMembers)
            let code = takesCode ? try body.text(codeMembers[0], or: codeMembers[1]) : nil
            let identity = try await googleIdentity(body, at: request.now)
            if google.then == .forward { try body.checkEmail(identity) }
            return (identity, code)
        }
        switch google.then {
        case .forward:
            try await admit(identity)
            return (.forward(ForwardedSignIn(identity: identity)), .forwarded)
        case .issue:
            let binding = try await binding(request)
            let session = try await opener.open(identity, givenName: nil, boundTo: binding, for: request)
            redeem(code, of: identity, for: session, nil)
            return (.response(session.response), .issued)
        }
    }

    /// If a body has both tokens, both are checked and must be for the same person: a backend may use either.
    private func googleIdentity(
        _ body: ExchangeBody,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        let idToken = try body.text("id_token")
        guard let accessToken = try body.text("access_token") else {
            guard let idToken else {
                throw .missing("send Google's token: { \"access_token\": … } or { \"id_token\": … }")
            }
            return try await checks.googleIdentity(idToken: idToken, at: now)
        }
        guard let idToken else { return try await checks.googleIdentity(accessToken: accessToken, at: now) }
        let identity = try await checks.googleIdentity(idToken: idToken, at: now)
        let other = try await checks.googleIdentity(accessToken: accessToken, at: now)
        guard identity.subject.utf8.elementsEqual(other.subject.utf8) else {
            throw .invalidToken("the access token and the ID token are not for the same person")
        }
        return identity
    }
}

extension EndpointRefusal {
    /// - Parameter detail: What to send.
    static func missing(_ detail: String) -> EndpointRefusal {
        EndpointRefusal(.missingToken, status: 401, detail: detail)
    }
}
