import Authorization
import Store
import Tenants
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState

/// What revocation and its age mean to a request, whichever way its token became known.
struct RevocationDecisionTests {
    private func pipeline(
        onStoreFailure: StoreFailurePolicy = .deny,
        mode: Tenant.Mode = .enforce,
        revokeOn: [RevokeRule] = []
    ) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(
            access: [
                RequestPipeline.rule("/open/**", .anyone),
                RequestPipeline.rule("/staff", .signedIn(roles: ["staff"], scopes: [])),
            ],
            mode: mode
        )
        tenant.onStoreFailure = onStoreFailure
        tenant.maxStaleness = .seconds(30)
        tenant.revokeOn = revokeOn
        return RequestPipeline([tenant])
    }

    private func revoke(
        _ targets: RevocationTarget...,
        at pipeline: RequestPipeline,
        version: UInt64 = 1,
        expiresAt: UnixTime = .distantFuture
    ) {
        var set = pipeline.tenants[0].revocations.set
        for target in targets {
            let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: expiresAt, version: version)
            _ = set.apply(entry, for: RevocationDigest(target))
        }
        pipeline.tenants[0].revocations.use(set)
    }

    private func withdraw(_ target: RevocationTarget, at pipeline: RequestPipeline, version: UInt64) {
        var set = pipeline.tenants[0].revocations.set
        let entry = RevocationEntry(isWithdrawn: true, revokedAt: 0, expiresAt: .distantFuture, version: version)
        _ = set.apply(entry, for: RevocationDigest(target))
        pipeline.tenants[0].revocations.use(set)
    }

    @Test func cachedTokenFollowsTheRevocationSet() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token(["sid": "s1"])
        for _ in 0..<2 { #expect(pipeline.get("/", token: token).grant?.caller != nil) }
        revoke(.session("s1"), at: pipeline)
        for _ in 0..<2 { #expect(pipeline.get("/", token: token).refusal == .tokenRevoked) }
        withdraw(.session("s1"), at: pipeline, version: 2)
        #expect(pipeline.get("/", token: token).grant?.caller != nil)
    }

    @Test func expiredRevocationRefusesNothing() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token(["sid": "s1"])
        revoke(.session("s1"), at: pipeline, expiresAt: RequestPipeline.now + 100)
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 99).refusal == .tokenRevoked)
        #expect(pipeline.get("/", token: token, at: RequestPipeline.now + 100).grant?.caller != nil)
    }

    @Test func revokedCallerIsAnonymousOnAnOpenPath() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token(["sid": "s1"])
        revoke(.session("s1"), at: pipeline)
        let grant = try #require(pipeline.get("/open/x", token: token).grant)
        #expect(grant.caller == nil && grant.outcome == .anonymous)
    }

    @Test func revocationIsReportedBeforeAMissingRole() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token(["sid": "s1"])
        #expect(pipeline.get("/staff", token: token).refusal?.code == .insufficientRole)
        revoke(.session("s1"), at: pipeline)
        #expect(pipeline.get("/staff", token: token).refusal == .tokenRevoked)
    }

    @Test func observingTenantForwardsRevokedCallersWithoutIdentity() throws {
        let pipeline = try pipeline(mode: .observe)
        let token = try RequestPipeline.token(["sid": "s1"])
        revoke(.session("s1"), at: pipeline)
        let grant = try #require(pipeline.get("/", token: token).grant)
        #expect(grant.caller == nil && grant.outcome == .refused(.tokenRevoked))
    }

    // MARK: Age

    private static let second: UInt64 = 1_000_000_000

    @Test func staleCopyRefusesCallersButNotOpenPaths() throws {
        let pipeline = try pipeline()
        let token = try RequestPipeline.token()
        let revocations = pipeline.tenants[0].revocations
        #expect(pipeline.get("/", token: token).grant?.caller != nil)
        revocations.age(since: .after(Self.second), at: .after(31 * Self.second))
        #expect(pipeline.get("/", token: token).grant?.caller != nil, "thirty seconds are not more than thirty")
        revocations.age(since: .after(Self.second), at: .after(31 * Self.second + 1))
        let refusal = try #require(pipeline.get("/", token: token).refusal)
        #expect(refusal.status == 503 && refusal.code == .storeUnavailable && refusal.retryAfterSeconds != nil)
        #expect(pipeline.get("/").refusal == .missingToken)
        let open = try #require(pipeline.get("/open/x", token: token).grant)
        #expect(open.caller == nil, "nobody can vouch for the caller")
        revocations.age(since: .after(20 * Self.second), at: .after(32 * Self.second))
        #expect(pipeline.get("/", token: token).grant?.caller != nil)
    }

    @Test func unloadedCopyIsStale() throws {
        let pipeline = try pipeline()
        pipeline.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        #expect(pipeline.get("/", token: try RequestPipeline.token()).refusal?.code == .storeUnavailable)
    }

    @Test func tenantMayUseAStaleCopy() throws {
        let pipeline = try pipeline(onStoreFailure: .allow)
        let token = try RequestPipeline.token(["sid": "s1"])
        pipeline.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        #expect(pipeline.get("/", token: token).grant?.caller != nil)
        revoke(.session("s1"), at: pipeline)
        #expect(pipeline.get("/", token: token).refusal == .tokenRevoked)
    }

    // MARK: Signing out

    @Test func signOutIsGrantedWithItsCaller() throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let pipeline = try pipeline(revokeOn: [rule])
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        let grant = try #require(
            pipeline.ask(RequestPipeline.request("/open/logout", method: "POST", lines: lines)).grant
        )
        #expect(grant.signsOut != nil && grant.caller != nil)
        #expect(pipeline.ask(RequestPipeline.request("/open/logout", lines: lines)).grant?.signsOut == nil)
        let anonymous = try #require(pipeline.ask(RequestPipeline.request("/open/logout", method: "POST")).grant)
        #expect(anonymous.signsOut == nil)
    }

    /// A backend that merges slashes or drops parameters signs out for these too.
    @Test(arguments: ["/open//logout", "/open/logout;x=1", "/open/x/../logout", "/open/%6cogout"])
    func signOutIsRecognizedInEverySpelling(_ target: String) throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let pipeline = try pipeline(revokeOn: [rule])
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        #expect(pipeline.ask(RequestPipeline.request(target, method: "POST", lines: lines)).grant?.signsOut != nil)
    }

    @Test func signOutOfAnUnknownCallerIsRefused() throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let pipeline = try pipeline(revokeOn: [rule])
        pipeline.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        let refusal = try #require(
            pipeline.ask(RequestPipeline.request("/open/logout", method: "POST", lines: lines)).refusal
        )
        #expect(refusal.code == .storeUnavailable)
        #expect(pipeline.ask(RequestPipeline.request("/open/logout", method: "POST")).grant != nil)
    }

    /// A rule that is only observed excuses what it refuses itself, and no sign-out that is not done.
    @Test func signOutOfAnUnknownCallerIsRefusedInObserveMode() throws {
        var tenant = try RequestPipeline.tenant(access: [
            AccessRule(
                path: try PathPattern("/**"),
                allow: .signedIn(roles: ["staff"], scopes: []),
                mode: .observe,
                line: 9
            )
        ])
        tenant.maxStaleness = .seconds(30)
        tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        let pipeline = RequestPipeline([tenant])
        pipeline.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        let refusal = pipeline.ask(RequestPipeline.request("/logout", method: "POST", lines: lines)).refusal
        #expect(refusal?.code == .storeUnavailable)
        #expect(pipeline.ask(RequestPipeline.request("/other", method: "POST", lines: lines)).grant != nil)
    }

    @Test func overloadedSignOutIsRefused() throws {
        let pipeline = try pipeline(revokeOn: [RevokeRule(method: "POST", path: try PathPattern("/open/logout"))])
        let lines = ["Authorization: Bearer \(try RequestPipeline.token())"]
        pipeline.decisionContext.steps.withoutCapacity = .signature
        let refusal = pipeline.ask(RequestPipeline.request("/open/logout", method: "POST", lines: lines), allowing: [])
            .refusal
        #expect(refusal == .overloaded)
    }
}
