import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// `grant_type=authorization_code` at the token endpoint.
struct CodeRedemptionTests {
    private static let start = IssuerFixture.start

    @Test(arguments: [IssuerClient.mobile, .board, .service])
    func codeGivesTokensOfItsSession(_ client: IssuerClient) async throws {
        let fixture = try IssuerFixture()
        let code = try await fixture.code(for: client, nonce: "n-0S6")
        let response = try await fixture.post(.token, fixture.redemption(code, client))
        let tokens = try TokenResponse(response)
        #expect(response.field("Content-Type") == "application/json")
        #expect(response.field("Cache-Control") == "no-store")
        #expect(response.field("Pragma") == "no-cache")
        #expect(response.subject == "alice")
        #expect(tokens.body["token_type"] == "Bearer")
        #expect(tokens.body["expires_in"] == 1800)
        #expect(tokens.body["scope"] == "openid email")
        #expect(tokens.claims["iss"] == "https://clans.example")
        #expect(tokens.claims["aud"] == "clans-api")
        #expect(tokens.claims["sub"] == "alice")
        #expect(tokens.claims["client_id"] == .string(client.id))
        #expect(tokens.claims["scope"] == "openid email")
        #expect(tokens.claims["email"] == "alice@example.org")
        #expect(tokens.claims["name"] == nil)
        let id = try TokenResponse.claims(of: tokens.id)
        #expect(id["aud"]?.stringOrStrings == [client.id])
        #expect(id["nonce"] == "n-0S6")
        #expect(id["sub"] == "alice")
        #expect(id["sid"] == .string(try tokens.sessionID))
        let session = try #require(try await fixture.sessions.session(tokens.sessionID, at: Self.start))
        #expect(session.clientID == client.id)
        #expect(try await fixture.isActive(tokens.access))
    }

    @Test func withoutOpenIDScopeNoIDTokenIsIssued() async throws {
        let tokens = try await IssuerFixture().tokens(scopes: ["email"])
        #expect(tokens.body["id_token"] == nil)
        #expect(tokens.body["scope"] == "email")
    }

    @Test func basicAuthenticationNeedsNoClientInForm() async throws {
        let fixture = try IssuerFixture()
        for client in [IssuerClient.board, .service] {
            let form = try await fixture.redemption(fixture.code(for: client), client).filter {
                !$0.name.hasPrefix("client")
            }
            _ = try TokenResponse(await fixture.post(.token, form, authorization: client.basic))
            let named = try await fixture.redemption(fixture.code(for: client), client).filter {
                $0.name != "client_secret"
            }
            _ = try TokenResponse(await fixture.post(.token, named, authorization: client.basic))
        }
    }

    // MARK: Invalid requests

    @Test(arguments: [
        (["grant_type": ""], "400 invalid_request"),
        (["grant_type": "password"], "400 unsupported_grant_type"),
        (["grant_type": "client_credentials"], "400 unsupported_grant_type"),
        (["grant_type": "implicit"], "400 unsupported_grant_type"),
        (["code": ""], "400 invalid_request"),
        (["redirect_uri": ""], "400 invalid_request"),
        (["code_verifier": ""], "400 invalid_request"),
        (["code_verifier": "short"], "400 invalid_request"),
        (["code_verifier": String(repeating: "a", count: 129)], "400 invalid_request"),
        (["code": "nobodys"], "400 invalid_grant"),
        (["client_id": ""], "401 invalid_client"),
        (["client_id": "unknown"], "401 invalid_client"),
        (["client_id": "board"], "401 invalid_client"),
        (["client_secret": "guess"], "401 invalid_client"),
    ])
    func invalidRequestDoesNotSpendCode(_ changes: [String: String], _ outcome: String) async throws {
        let fixture = try IssuerFixture()
        let good = try await fixture.redemption(fixture.code())
        var bad = good.filter { changes[$0.name] == nil }
        bad += changes.map { ($0.key, $0.value) }
        #expect(try await fixture.post(.token, bad).outcome == outcome)
        _ = try TokenResponse(await fixture.post(.token, good))
    }

    @Test(arguments: ["code", "code_verifier", "client_id", "grant_type", "redirect_uri", "anything"])
    func repeatedParameterIsRefused(_ name: String) async throws {
        let fixture = try IssuerFixture()
        let good = try await fixture.redemption(fixture.code())
        let value = good.first { $0.name == name }?.value ?? "x"
        let twice = FormText.text(of: good + [(name, value)] + (name == "anything" ? [(name, value)] : []))
        #expect(try await fixture.post(.token, text: twice).outcome == "400 invalid_request")
        _ = try TokenResponse(await fixture.post(.token, good))
    }

    @Test func onlyFormBodiesAreAccepted() async throws {
        let fixture = try IssuerFixture()
        let good = FormText.text(of: try await fixture.redemption(fixture.code()))
        for type in [
            nil, "application/json", "text/plain", "multipart/form-data", "application/x-www-form-urlencodedd",
        ] {
            #expect(try await fixture.post(.token, text: good, contentType: type).outcome == "400 invalid_request")
        }
        #expect(try await fixture.post(.token, text: good + "&x=%zz").outcome == "400 invalid_request")
        #expect(try await fixture.post(.token, text: good + "&x=%ff").outcome == "400 invalid_request")
        let many = good + String(repeating: "&x=1", count: 70)
        #expect(try await fixture.post(.token, text: many).outcome == "400 invalid_request")
        let type = "Application/X-WWW-Form-URLencoded; charset=UTF-8"
        _ = try TokenResponse(await fixture.post(.token, text: good, contentType: type))
    }

    @Test func errorDescriptionsUseAllowedCharacters() async throws {
        let fixture = try IssuerFixture()
        for change in ["grant_type=x", "code=x", "client_id=x", ""] {
            let description = try await fixture.post(.token, text: change).object["error_description"]?.string
            let allowed = try #require(description).utf8.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            #expect(allowed)
        }
    }

    // MARK: Stolen and reused codes

    @Test(arguments: [
        ["code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK"],
        ["code_verifier": IssuerFixture.challenge],
        ["redirect_uri": "clanboards://oauthredirect/"],
        ["redirect_uri": "clanboards://oauthredirect?"],
        ["redirect_uri": "CLANBOARDS://oauthredirect"],
        ["client_id": "tablet"],
    ])
    func codePresentedByAnotherIsInvalidated(_ changes: [String: String]) async throws {
        let fixture = try IssuerFixture()
        let good = try await fixture.redemption(fixture.code())
        let stolen = good.filter { changes[$0.name] == nil } + changes.map { ($0.key, $0.value) }
        #expect(try await fixture.post(.token, stolen).outcome == "400 invalid_grant")
        #expect(try await fixture.post(.token, good).outcome == "400 invalid_grant")
    }

    @Test func reusedCodeEndsItsSession() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        let tokens = try TokenResponse(await fixture.post(.token, form))
        #expect(try await fixture.isActive(tokens.access))
        #expect(try await fixture.post(.token, form, at: Self.start + 300).outcome == "400 invalid_grant")
        #expect(try await !fixture.isActive(tokens.access))
        #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
        let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "mobile")]
        #expect(try await fixture.post(.token, refresh, at: Self.start + 301).outcome == "400 invalid_grant")
    }

    @Test func spentCodePresentedByAnotherEndsItsSession() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        let tokens = try TokenResponse(await fixture.post(.token, form))
        let stolen = form.filter { $0.name != "client_id" } + IssuerClient.board.credentials
        #expect(try await fixture.post(.token, stolen).outcome == "400 invalid_grant")
        #expect(try await !fixture.isActive(tokens.access))
    }

    @Test func concurrentRedemptionsGiveTokensOnceAndRevokeThem() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        let responses = try await withThrowingTaskGroup(of: EndpointResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.post(.token, form) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let given = responses.filter { $0.status == 200 }
        #expect(given.count == 1)
        #expect(responses.count { $0.outcome == "400 invalid_grant" } == 19)
        for tokens in try given.map(TokenResponse.init) {
            #expect(try await !fixture.isActive(tokens.access))
            #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
        }
    }

    /// Two instances read the code before either used it.
    @Test func lostRaceEndsBothSessions() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        let race = Tally()
        let won = Won()
        fixture.store.onCall { (call) async throws(StoreError) in
            // The first spend is overtaken.
            guard call == .replace, race.next() == 1 else { return }
            await won.set(try? TokenResponse(await fixture.post(.token, form)))
        }
        #expect(try await fixture.post(.token, form).outcome == "400 invalid_grant")
        fixture.store.onCall(nil)
        let tokens = try #require(await won.tokens)
        #expect(try await !fixture.isActive(tokens.access))
        #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
    }

    private actor Won {
        private(set) var tokens: TokenResponse?

        func set(_ tokens: TokenResponse?) { self.tokens = tokens }
    }

    @Test func expiredCodeIsRefused() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        #expect(try await fixture.post(.token, form, at: Self.start + 60).outcome == "400 invalid_grant")
        _ = try TokenResponse(await fixture.post(.token, form, at: Self.start + 59))
    }

    @Test func codeIsRefusedAtAnotherTenant() async throws {
        let store = WatchedStore()
        let (clans, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let form = try await clans.redemption(clans.code())
        #expect(try await chat.post(.token, form).outcome == "400 invalid_grant")
        _ = try TokenResponse(await clans.post(.token, form))
    }

    // MARK: Failures

    @Test(arguments: [[WatchedStore.Call.value], [.set], [.replace], WatchedStore.Call.allCases])
    func storeFailureDoesNotSpendCode(_ calls: [WatchedStore.Call]) async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        fixture.store.fail(calls)
        let response = try await fixture.post(.token, form)
        #expect(response.outcome == "503 temporarily_unavailable")
        #expect(response.field("Retry-After") == "1")
        fixture.store.onCall(nil)
        _ = try TokenResponse(await fixture.post(.token, form))
    }

    @Test func unavailableOrRefusedAccountGetsNoTokens() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        fixture.accounts.fail(.unavailable(.storeUnavailable))
        #expect(try await fixture.post(.token, form).outcome == "503 temporarily_unavailable")
        fixture.accounts.fail(.refusedByHook(status: 403, message: "blocked"))
        #expect(try await fixture.post(.token, form).outcome == "400 invalid_grant")
    }

    @Test func missingAccountGetsNoTokens() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        fixture.accounts.removeAll()
        #expect(try await fixture.post(.token, form).outcome == "400 invalid_grant")
    }

    @Test func subjectRevokedAfterCodeGetsNoTokens() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        let revocation = Revocation(tenant: "clans", target: .subject("alice"), revokedAt: Self.start + 5)
        _ = try await fixture.store.revoke([revocation])
        #expect(try await fixture.post(.token, form, at: Self.start + 10).outcome == "400 invalid_grant")
        let later = try await fixture.redemption(fixture.code(at: Self.start + 11))
        _ = try TokenResponse(await fixture.post(.token, later, at: Self.start + 12))
    }
}
