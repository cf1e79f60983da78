import Authorization
import HTTPCore
import Store
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState
@testable import Tenants

/// Requests with tokens at several locations.
struct SeveralTokensTests {
    private static let cookie = TokenSource.cookie(name: "session")

    private func pipeline(
        from: [TokenSource] = [.bearer, SeveralTokensTests.cookie],
        change: (inout Tenant) throws -> Void = { _ in }
    ) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(
            from: from,
            access: [
                RequestPipeline.rule("/open/**", .anyone),
                RequestPipeline.rule("/staff", .signedIn(roles: ["staff"], scopes: [])),
            ]
        )
        try change(&tenant)
        return RequestPipeline([tenant])
    }

    private static func lines(bearer: String, cookie: String, _ further: [String] = []) -> [String] {
        ["Authorization: Bearer \(bearer)", "Cookie: a=b; session=\(cookie)"] + further
    }

    private func ask(
        _ pipeline: RequestPipeline,
        _ bearer: String,
        _ cookie: String,
        _ path: String = "/",
        method: String = "GET",
        _ further: [String] = []
    ) -> RequestPipeline.Outcome {
        pipeline.ask(
            RequestPipeline.request(path, method: method, lines: Self.lines(bearer: bearer, cookie: cookie, further))
        )
    }

    private static let stale: [KeyValuePairs<String, JSONValue?>] = [
        ["exp": 1], ["iss": "https://former.test"], ["nbf": 1_900_000_000], ["sub": "bob", "exp": 1],
    ]

    @Test(arguments: stale.indices) func laterTokenCountsBesideStaleOne(index: Int) throws {
        let pipeline = try pipeline()
        let old = try RequestPipeline.token(Self.stale[index])
        let good = try RequestPipeline.token()
        // Twice: the second time both are remembered.
        for _ in 0..<2 {
            let grant = try #require(ask(pipeline, old, good).grant)
            #expect(grant.caller?.principal.subject == "alice" && grant.outcome == .granted && grant.needsCaller)
            #expect(pipeline.decisionContext.severalTokens?.counted == 1)
            #expect(pipeline.decisionContext.severalTokens?.withheld == [0])
        }
    }

    @Test func forgedAndMalformedTokensArePassedOver() throws {
        let pipeline = try pipeline()
        let good = try RequestPipeline.token()
        for bad in [try RequestPipeline.token(forged: true), "x", "a.b.c"] {
            #expect(ask(pipeline, bad, good).grant?.caller?.principal.subject == "alice")
        }
    }

    @Test func goodFirstTokenCountsAndStaleLaterOneIsWithheld() throws {
        let pipeline = try pipeline()
        let grant = ask(pipeline, try RequestPipeline.token(), try RequestPipeline.token(["sub": "bob", "exp": 1]))
            .grant
        #expect(grant?.caller?.principal.subject == "alice")
        #expect(pipeline.decisionContext.severalTokens?.withheld == [1])
    }

    @Test func goodTokensOfOneSubjectAreBothForwarded() throws {
        let pipeline = try pipeline()
        let grant = ask(pipeline, try RequestPipeline.token(["role": "staff"]), try RequestPipeline.token(), "/staff")
            .grant
        #expect(grant?.caller?.principal.subject == "alice")
        #expect(pipeline.decisionContext.severalTokens?.withheld == [])
        #expect(
            ask(pipeline, try RequestPipeline.token(), try RequestPipeline.token(["role": "staff"]), "/staff").refusal?
                .code == .insufficientRole,
            "the first one counts, not the mightier one"
        )
    }

    @Test(arguments: ["/", "/open/x", "/staff"]) func goodTokensOfTwoSubjectsAre400(path: String) throws {
        let pipeline = try pipeline()
        let bob = try RequestPipeline.token(["sub": "bob"])
        let refusal = ask(pipeline, try RequestPipeline.token(), bob, path).refusal
        #expect(refusal?.status == 400 && refusal?.code == .conflictingTokens)
    }

    /// A `sub` says who somebody is at one issuer alone.
    @Test func sameSubjectOfTwoIssuersIsTwoSubjects() throws {
        let other = "https://other.test"
        let pipeline = try pipeline { tenant in
            var issuer = try #require(tenant.authenticate.policy.issuers.first)
            issuer.issuer = other
            tenant.authenticate.policy.issuers.append(issuer)
            tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        }
        let (alice, namesake) = (try RequestPipeline.token(), try RequestPipeline.token(["iss": .string(other)]))
        #expect(ask(pipeline, namesake, namesake).grant != nil)
        #expect(ask(pipeline, alice, namesake).refusal == .conflictingTokens)
        #expect(ask(pipeline, namesake, alice, "/open/x").refusal == .conflictingTokens)
        // Nor is a token that counts no longer signed out with the other's.
        let expired = try RequestPipeline.token(["iss": .string(other), "exp": 1])
        let signedOut = ask(pipeline, alice, expired, "/logout", method: "POST").grant?.signsOut
        #expect(signedOut?.map(\.principal.issuer) == [RequestPipeline.issuer])
    }

    @Test func tokensWithoutSubjectAreOfOneOnlyIfEqual() throws {
        let pipeline = try pipeline()
        let one = try RequestPipeline.token(["sub": nil])
        #expect(ask(pipeline, one, one).grant != nil)
        #expect(ask(pipeline, one, try RequestPipeline.token(["sub": nil, "x": 1])).refusal == .conflictingTokens)
        #expect(ask(pipeline, one, try RequestPipeline.token()).refusal == .conflictingTokens)
    }

    @Test func firstRefusalIsGivenIfNoTokenIsGood() throws {
        let pipeline = try pipeline()
        let expired = try RequestPipeline.token(["exp": 1])
        let foreign = try RequestPipeline.token(["iss": "https://former.test"])
        #expect(ask(pipeline, expired, foreign).refusal?.code == .tokenExpired)
        #expect(ask(pipeline, foreign, expired).refusal?.code == .invalidToken)
        #expect(ask(pipeline, expired, foreign, "/open/x").grant?.outcome == .anonymous)
        #expect(pipeline.decisionContext.severalTokens?.withheld == [], "nothing counts, so nothing is passed over")
    }

    @Test func severalTokensAtLaterLocationAreRefused() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token()
        let twice = "\(token); session=\(try RequestPipeline.token(["x": 1]))"
        #expect(ask(pipeline, token, twice).refusal == .severalTokens)
    }

    // MARK: Cross-site requests

    @Test func cookieRulesHoldIfTheCookieCounts() throws {
        let pipeline = try pipeline()
        let (expired, good) = (try RequestPipeline.token(["exp": 1]), try RequestPipeline.token())
        let foreign = ["Origin: https://evil.test"]
        #expect(ask(pipeline, expired, good, method: "POST", foreign).refusal?.code == .crossSiteRequest)
        #expect(ask(pipeline, expired, good, method: "POST", ["Origin: http://app.test"]).grant != nil)
        #expect(ask(pipeline, good, good, method: "POST", foreign).grant != nil, "the bearer token counts")
        #expect(ask(pipeline, good, expired, method: "POST", foreign).grant != nil)
        // A page can open a WebSocket with a cookie, and with nothing else.
        let handshake = foreign + ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        #expect(ask(pipeline, expired, good, handshake).refusal?.code == .crossSiteRequest)
    }

    private func ask(_ pipeline: RequestPipeline, _ bearer: String, _ cookie: String, _ further: [String])
        -> RequestPipeline.Outcome
    {
        ask(pipeline, bearer, cookie, "/", further)
    }

    @Test func tokenThatAnyPageCanSendHidesNoCookie() throws {
        let pipeline = try pipeline(from: [.query(name: "token"), Self.cookie])
        let good = try RequestPipeline.token()
        for query in [try RequestPipeline.token(["exp": 1]), "x", good] {
            let bytes = RequestPipeline.request(
                "/?token=\(query)",
                method: "POST",
                lines: ["Cookie: session=\(good)", "Origin: https://evil.test"]
            )
            #expect(pipeline.ask(bytes).refusal?.code == .crossSiteRequest)
        }
    }

    @Test func staleSubprotocolIsPassedOverAndCookieRulesHold() throws {
        let pipeline = try pipeline(from: [.header(name: "sec-websocket-protocol"), Self.cookie])
        let lines = [
            "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: chat, \(try RequestPipeline.token(["exp": 1]))",
            "Cookie: session=\(try RequestPipeline.token())",
        ]
        #expect(pipeline.ask(RequestPipeline.request("/", lines: lines)).grant?.caller != nil)
        #expect(pipeline.decisionContext.severalTokens?.withheld == [0])
        let foreign = lines + ["Origin: https://evil.test"]
        #expect(pipeline.ask(RequestPipeline.request("/", lines: foreign)).refusal?.code == .crossSiteRequest)
    }

    // MARK: Revocation and sign-out

    @Test func revokedTokenIsPassedOver() throws {
        let pipeline = try pipeline()
        let revoked = try RequestPipeline.token(["jti": "1"])
        var set = pipeline.tenants[0].revocations.set
        let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.token(issuer: RequestPipeline.issuer, tokenID: "1")))
        pipeline.tenants[0].revocations.use(set)
        #expect(ask(pipeline, revoked, try RequestPipeline.token(["jti": "2"])).grant?.caller != nil)
        #expect(ask(pipeline, revoked, revoked).refusal == .tokenRevoked)
    }

    @Test func signOutEndsAllTokensOfTheSubject() throws {
        let pipeline = try pipeline { tenant in
            tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        }
        let (one, other) = (try RequestPipeline.token(["jti": "1"]), try RequestPipeline.token(["jti": "2"]))
        func ended(_ bearer: String, _ cookie: String) -> [String?]? {
            ask(pipeline, bearer, cookie, "/logout", method: "POST").grant?.signsOut?.map(\.principal.tokenID)
        }
        // Otherwise the cookie would sign in the next request with the bearer token that has just been revoked.
        #expect(ended(one, other) == ["1", "2"])
        #expect(ended(try RequestPipeline.token(["exp": 1]), other) == ["2"])
        #expect(ended(one, "x") == ["1"])
    }

    // MARK: Refresh

    @Test func cookieThatCanBeRefreshedIsPreferredToTokenThatCannot() throws {
        let pipeline = try pipeline { tenant in
            tenant.refresh = try SampleRenewal.rules(grace: .seconds(1000))
        }
        let refreshable = try RequestPipeline.token(["exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) - 100))]
        )
        guard case .needs(.refresh(let caller)) = ask(pipeline, try RequestPipeline.token(["exp": 1]), refreshable)
        else {
            Issue.record("no refresh")
            return
        }
        #expect(caller.principal.subject == "alice")
        #expect(pipeline.decisionContext.severalTokens?.counted == 1)
        // A good token needs none.
        #expect(ask(pipeline, refreshable, try RequestPipeline.token()).grant?.caller != nil)
        #expect(pipeline.decisionContext.severalTokens?.counted == 1)
    }

    // MARK: Steps

    @Test func unknownTokenIsNotPassedOver() throws {
        let pipeline = try pipeline { tenant in
            tenant.authenticate.policy.issuers.append(
                IssuerPolicy(issuer: "https://slow.test", algorithms: [.hs256], keys: nil)
            )
            tenant.authenticate.keySources.append(
                .remote(RemoteKeySource(location: .keySet(url: "https://slow.test/k")))
            )
        }
        let unknown = try RequestPipeline.token(["iss": "https://slow.test"])
        let good = try RequestPipeline.token()
        guard case .needs(.keys) = ask(pipeline, unknown, good) else {
            Issue.record("the keys are not asked for")
            return
        }
        let bytes = RequestPipeline.request("/", lines: Self.lines(bearer: unknown, cookie: good))
        #expect(pipeline.ask(bytes, allowing: []).refusal?.code == .storeUnavailable)
        // After a good one it is only kept from the backend.
        let reverse = RequestPipeline.request("/", lines: Self.lines(bearer: good, cookie: unknown))
        #expect(pipeline.ask(reverse, allowing: []).grant?.caller?.principal.subject == "alice")
        #expect(pipeline.decisionContext.severalTokens?.withheld == [1])
    }

    @Test func nothingIsRememberedForTheNextRequest() throws {
        let pipeline = try pipeline()
        _ = ask(pipeline, try RequestPipeline.token(["exp": 1]), try RequestPipeline.token())
        #expect(pipeline.get("/", token: try RequestPipeline.token()).grant != nil)
        #expect(pipeline.decisionContext.severalTokens == nil)
    }
}
