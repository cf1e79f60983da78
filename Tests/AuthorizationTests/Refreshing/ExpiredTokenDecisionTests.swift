import Authorization
import Store
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState
@testable import Tenants

/// What an expired token leads to, whichever way it became known.
struct ExpiredTokenDecisionTests {
    /// Its token is good until ``RequestPipeline/now`` + 600, and a minute of leeway.
    private static let refusedFrom = RequestPipeline.now + 660

    private func pipeline(
        grace: Duration = .seconds(1000),
        mode: Tenant.Mode = .enforce,
        change: (inout Tenant) throws -> Void = { _ in }
    ) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(
            access: [
                RequestPipeline.rule("/open/**", .anyone),
                RequestPipeline.rule("/staff", .signedIn(roles: ["staff"], scopes: [])),
            ],
            mode: mode
        )
        tenant.refresh = try SampleRenewal.rules(grace: grace)
        try change(&tenant)
        return RequestPipeline([tenant])
    }

    private func refreshed(_ decision: RequestPipeline.Outcome) -> Caller? {
        guard case .needs(.refresh(let caller)) = decision else { return nil }
        return caller
    }

    @Test func tokenIsRefreshedWithinTheGrace() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token()
        #expect(pipeline.get("/", token: token, at: Self.refusedFrom - 1).grant?.caller != nil)
        // Twice: the second time it is remembered.
        for _ in 0..<2 {
            #expect(refreshed(pipeline.get("/", token: token, at: Self.refusedFrom))?.principal.subject == "alice")
            #expect(refreshed(pipeline.get("/", token: token, at: Self.refusedFrom + 999)) != nil)
        }
        for _ in 0..<2 {
            #expect(pipeline.get("/", token: token, at: Self.refusedFrom + 1000).refusal == .tokenExpired)
        }
    }

    @Test func unknownExpiredTokenIsRefreshedToo() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token()
        #expect(refreshed(pipeline.get("/", token: token, at: Self.refusedFrom + 999)) != nil)
        #expect(pipeline.get("/", token: token, at: Self.refusedFrom + 1000).refusal == .tokenExpired)
    }

    @Test func requestIsRefreshedOnce() throws {
        let pipeline = try pipeline()
        let bytes = RequestPipeline.request("/", lines: ["Authorization: Bearer \(try RequestPipeline.token())"])
        let allowed = AllowedSteps.all.subtracting(
            AllowedSteps(.refresh(try #require(refreshed(pipeline.ask(bytes, at: Self.refusedFrom)))))
        )
        #expect(pipeline.ask(bytes, allowing: allowed, at: Self.refusedFrom).refusal == .tokenExpired)
    }

    @Test func expiredTokenIsNotRefreshedWithoutGrace() throws {
        let pipeline = try pipeline(grace: .zero)
        #expect(pipeline.get("/", token: try RequestPipeline.token(), at: Self.refusedFrom).refusal == .tokenExpired)
    }

    @Test func rolesOfTheNewTokenDecide() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token()
        #expect(pipeline.get("/staff", token: token).refusal?.code == .insufficientRole)
        #expect(refreshed(pipeline.get("/staff", token: token, at: Self.refusedFrom)) != nil)
    }

    @Test func forgedTokensAreInvalidWhateverTheirAge() throws {
        let pipeline = try pipeline()
        let forged = try RequestPipeline.token(forged: true)
        #expect(pipeline.get("/", token: forged, at: Self.refusedFrom).refusal?.code == .invalidToken)
    }

    @Test func openPathForwardsWithoutIdentity() throws {
        let pipeline = try pipeline()
        let grant = try #require(
            pipeline.get("/open/x", token: try RequestPipeline.token(), at: Self.refusedFrom).grant
        )
        #expect(grant.caller == nil && grant.outcome == .anonymous && grant.signsOut == nil && !grant.needsCaller)
    }

    @Test func ambiguousPathIsNotRefreshed() throws {
        let pipeline = try pipeline()
        #expect(
            pipeline.get("/a%2fb", token: try RequestPipeline.token(), at: Self.refusedFrom).refusal?.code
                == .ambiguousPath
        )
    }

    @Test(arguments: ["/auth/refresh", "/auth//refresh", "/auth/x/../refresh", "/auth/refresh;a", "/login", "/signin"])
    func sessionPathsAreExemptInEverySpelling(_ path: String) throws {
        let pipeline = try pipeline { tenant in
            tenant.signInPaths = [try PathPattern("/signin")]
            let pointer = try SampleRenewal.pointer("/t")
            let login = TokenCapture(path: try PathPattern("/login"), accessToken: pointer, refreshToken: pointer)
            tenant.refresh = try SampleRenewal.rules(
                grace: .seconds(1000),
                target: .backend(path: "/auth/refresh?a=b"),
                captures: [login]
            )
        }
        #expect(pipeline.get(path, token: try RequestPipeline.token(), at: Self.refusedFrom).refusal == .tokenExpired)
        #expect(refreshed(pipeline.get("/auth/other", token: try RequestPipeline.token(), at: Self.refusedFrom)) != nil)
    }

    @Test func refreshURLOfAnotherServerExemptsNoPath() throws {
        let pipeline = try pipeline { tenant in
            tenant.refresh = try SampleRenewal.rules(
                grace: .seconds(1000),
                target: .url("https://id.test/auth/refresh")
            )
        }
        #expect(
            refreshed(pipeline.get("/auth/refresh", token: try RequestPipeline.token(), at: Self.refusedFrom)) != nil
        )
    }

    @Test func observingTenantNotesAndDoesNotRefresh() throws {
        let pipeline = try pipeline(mode: .observe)
        let grant = try #require(pipeline.get("/", token: try RequestPipeline.token(), at: Self.refusedFrom).grant)
        #expect(grant.caller == nil && grant.outcome == .refused(.tokenExpired))
    }

    // MARK: Sessions that end

    @Test func revokedSessionIsNotRefreshed() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token(["sid": "s1"])
        var set = pipeline.tenants[0].revocations.set
        let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.session("s1")))
        pipeline.tenants[0].revocations.use(set)
        #expect(pipeline.get("/", token: token, at: Self.refusedFrom).refusal == .tokenRevoked)
    }

    @Test func expiredTokenSignsOutOnAnOpenPath() throws {
        let pipeline = try pipeline { tenant in
            tenant.revokeOn = [
                RevokeRule(method: "POST", path: try PathPattern("/open/logout")),
                RevokeRule(method: "POST", path: try PathPattern("/logout")),
            ]
        }
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        let open = RequestPipeline.request("/open/logout", method: "POST", lines: lines)
        let grant = try #require(pipeline.ask(open, at: Self.refusedFrom).grant)
        #expect(grant.caller == nil && grant.signsOut?.first?.principal.subject == "alice")
        // Where a caller is needed it is expired, and not refreshed to be signed out.
        let closed = RequestPipeline.request("/logout", method: "POST", lines: lines)
        #expect(pipeline.ask(closed, at: Self.refusedFrom).refusal == .tokenExpired)
    }

    // MARK: Ahead

    @Test func callerIsDueBeforeExpiryIfConfigured() throws {
        let token = try RequestPipeline.token()
        let due = try pipeline { $0.refresh = try SampleRenewal.rules(within: .seconds(100)) }
        #expect(due.get("/", token: token).grant?.caller?.lifetime.dueFrom == RequestPipeline.now + 500)
        #expect(try pipeline().get("/", token: token).grant?.caller?.lifetime.dueFrom == .distantFuture)
        let endless = try RequestPipeline.token(["exp": nil])
        #expect(due.get("/", token: endless).grant?.caller?.lifetime.dueFrom ?? .distantFuture == .distantFuture)
    }
}
