import Testing

@testable import IdentityProvider
@testable import Tenants

/// PKCE of clients with credentials, which may do without (RFC 9700 section 2.1.1).
struct ConfidentialPKCETests {
    private func result(_ client: IssuerClient, _ more: Parameters) -> AuthorizationRequestResult {
        let parameters: Parameters = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", client.redirectURIs.first ?? ""),
        ]
        return AuthorizationRequestResult(Array(FormText.text(of: parameters + more).utf8), clients: [client])
    }

    private func isValid(_ client: IssuerClient, _ more: Parameters) -> Bool {
        if case .valid = result(client, more) { return true }
        return false
    }

    @Test func onlyClientsWithCredentialsMayDoWithoutPKCE() {
        var strict = IssuerClient.board
        strict.requiresPKCE = true
        for parameters in [[("scope", "openid"), ("nonce", "n")], [("scope", "openid")]] as [Parameters] {
            #expect(isValid(.board, parameters))
            #expect(!isValid(strict, parameters))
            #expect(!isValid(.mobile, parameters))
        }
    }

    @Test func plainChallengeIsRefusedOfEveryClient() {
        let nonce: Parameters = [("scope", "openid"), ("nonce", "n")]
        let challenge = ("code_challenge", IssuerFixture.challenge)
        for client in [IssuerClient.board, .mobile] {
            #expect(isValid(client, nonce + [challenge, ("code_challenge_method", "S256")]))
            #expect(!isValid(client, nonce + [challenge, ("code_challenge_method", "plain")]))
            #expect(!isValid(client, nonce + [challenge]))
            #expect(!isValid(client, nonce + [("code_challenge_method", "S256")]))
        }
    }

    private func code(_ fixture: IssuerFixture, challenge: String?) async throws -> String {
        try await fixture.codes.issue(
            CodeGrant(
                clientID: "board",
                redirectURI: "https://board.example/back",
                codeChallenge: challenge,
                scopes: ["openid"],
                nonce: "n",
                subject: "alice",
                provider: "apple",
                issuedAt: IssuerFixture.start
            ),
            at: IssuerFixture.start
        )
    }

    /// RFC 9700 section 4.8.2: whoever takes the challenge out of a request gets no code redeemed with the verifier.
    @Test(
        arguments: [
            (nil, nil, true), (nil, IssuerFixture.verifier, false), (IssuerFixture.challenge, nil, false),
            (IssuerFixture.challenge, IssuerFixture.verifier, true),
        ] as [(String?, String?, Bool)]
    )
    func verifierFitsChallengeOrBothAreMissing(_ challenge: String?, _ verifier: String?, _ passes: Bool) async throws {
        let fixture = try IssuerFixture()
        let code = try await code(fixture, challenge: challenge)
        let form = fixture.redemption(code, .board).filter { $0.name != "code_verifier" }
        let answer = try await fixture.post(.token, form + (verifier.map { [("code_verifier", $0)] } ?? []))
        #expect(answer.outcome == (passes ? "200 -" : "400 invalid_grant"))
        guard !passes else {
            #expect(try TokenResponse.claims(of: try TokenResponse(answer).id)["nonce"] == "n")
            return
        }
        // It is used up.
        #expect(try await fixture.post(.token, fixture.redemption(code, .board)).outcome == "400 invalid_grant")
    }
}
