import Authorization
import Store
import Tenants
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import SharedState

/// What an expired token leads to, whichever way it became known.
struct ExpiredTokenDecisionTests {
    /// Its token is good until ``Door/now`` + 600, and a minute of leeway.
    private static let refusedFrom = Door.now + 660

    private func door(
        grace: Duration = .seconds(1000),
        mode: Tenant.Mode = .enforce,
        change: (inout Tenant) throws -> Void = { _ in }
    ) throws -> Door {
        var tenant = try Door.tenant(
            access: [Door.rule("/open/**", .anyone), Door.rule("/staff", .signedIn(roles: ["staff"], scopes: []))],
            mode: mode
        )
        tenant.refresh = try SampleRenewal.rules(grace: grace)
        try change(&tenant)
        return Door([tenant])
    }

    private func refreshed(_ answer: Door.Answer) -> Caller? {
        guard case .needs(.refresh(let caller)) = answer else { return nil }
        return caller
    }

    @Test func aTokenIsRefreshedFromItsEndToTheEndOfTheGrace() throws {
        let door = try door()
        let token = try Door.token()
        #expect(door.get("/", token: token, at: Self.refusedFrom - 1).grant?.caller != nil)
        // Twice: the second time it is remembered.
        for _ in 0..<2 {
            #expect(refreshed(door.get("/", token: token, at: Self.refusedFrom))?.principal.subject == "alice")
            #expect(refreshed(door.get("/", token: token, at: Self.refusedFrom + 999)) != nil)
        }
        for _ in 0..<2 {
            #expect(door.get("/", token: token, at: Self.refusedFrom + 1000).refusal == .tokenExpired)
        }
    }

    @Test func aTokenThatIsFirstSeenWhenItHasExpiredIsToo() throws {
        let door = try door()
        let token = try Door.token()
        #expect(refreshed(door.get("/", token: token, at: Self.refusedFrom + 999)) != nil)
        #expect(door.get("/", token: token, at: Self.refusedFrom + 1000).refusal == .tokenExpired)
    }

    @Test func eachRequestIsRefreshedOnce() throws {
        let door = try door()
        let bytes = Door.request("/", lines: ["Authorization: Bearer \(try Door.token())"])
        let allowed = AllowedSteps.all.after(.refresh(try #require(refreshed(door.ask(bytes, at: Self.refusedFrom)))))
        #expect(door.ask(bytes, allowing: allowed, at: Self.refusedFrom).refusal == .tokenExpired)
    }

    @Test func withoutAGraceThereIsNone() throws {
        let door = try door(grace: .zero)
        #expect(door.get("/", token: try Door.token(), at: Self.refusedFrom).refusal == .tokenExpired)
    }

    @Test func rolesAreJudgedByTheNewToken() throws {
        let door = try door()
        let token = try Door.token()
        #expect(door.get("/staff", token: token).refusal?.code == .insufficientRole)
        #expect(refreshed(door.get("/staff", token: token, at: Self.refusedFrom)) != nil)
    }

    @Test func forgedTokensAreInvalidWhateverTheirAge() throws {
        let door = try door()
        let forged = try Door.token(forged: true)
        #expect(door.get("/", token: forged, at: Self.refusedFrom).refusal?.code == .invalidToken)
    }

    @Test func anyoneMayPassAndIsNobody() throws {
        let door = try door()
        let grant = try #require(door.get("/open/x", token: try Door.token(), at: Self.refusedFrom).grant)
        #expect(grant.caller == nil && grant.outcome == .anonymous && grant.signsOut == nil && !grant.needsCaller)
    }

    @Test func anAmbiguousPathIsNotWorthARefresh() throws {
        let door = try door()
        #expect(door.get("/a%2fb", token: try Door.token(), at: Self.refusedFrom).refusal?.code == .ambiguousPath)
    }

    @Test(arguments: ["/auth/refresh", "/auth//refresh", "/auth/x/../refresh", "/auth/refresh;a", "/login", "/signin"])
    func pathsAroundSessionsAreExemptInEverySpelling(_ path: String) throws {
        let door = try door { tenant in
            tenant.signInPaths = [try PathPattern("/signin")]
            let pointer = try SampleRenewal.pointer("/t")
            let login = TokenCapture(path: try PathPattern("/login"), accessToken: pointer, refreshToken: pointer)
            tenant.refresh = try SampleRenewal.rules(
                grace: .seconds(1000),
                target: .backend(path: "/auth/refresh?a=b"),
                captures: [login]
            )
        }
        #expect(door.get(path, token: try Door.token(), at: Self.refusedFrom).refusal == .tokenExpired)
        #expect(refreshed(door.get("/auth/other", token: try Door.token(), at: Self.refusedFrom)) != nil)
    }

    @Test func anotherServersRefreshPathIsNoPathHere() throws {
        let door = try door { tenant in
            tenant.refresh = try SampleRenewal.rules(
                grace: .seconds(1000),
                target: .url("https://id.test/auth/refresh")
            )
        }
        #expect(refreshed(door.get("/auth/refresh", token: try Door.token(), at: Self.refusedFrom)) != nil)
    }

    @Test func observedTenantsTakeNoteAndRefreshNothing() throws {
        let door = try door(mode: .observe)
        let grant = try #require(door.get("/", token: try Door.token(), at: Self.refusedFrom).grant)
        #expect(grant.caller == nil && grant.outcome == .refused(.tokenExpired))
    }

    // MARK: Sessions that end

    @Test func aRevokedSessionIsRevokedAndNotExpired() throws {
        let door = try door()
        let token = try Door.token(["sid": "s1"])
        var set = door.tenants[0].revocations.set
        let entry = RevocationEntry(revokedAt: Door.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.session("s1")))
        door.tenants[0].revocations.use(set)
        #expect(door.get("/", token: token, at: Self.refusedFrom).refusal == .tokenRevoked)
    }

    @Test func anExpiredTokenSignsOutOnAnOpenPath() throws {
        let door = try door { tenant in
            tenant.revokeOn = [
                RevokeRule(method: "POST", path: try PathPattern("/open/logout")),
                RevokeRule(method: "POST", path: try PathPattern("/logout")),
            ]
        }
        let lines = ["Authorization: Bearer \(try Door.token())"]
        let open = Door.request("/open/logout", method: "POST", lines: lines)
        let grant = try #require(door.ask(open, at: Self.refusedFrom).grant)
        #expect(grant.caller == nil && grant.signsOut?.principal.subject == "alice")
        // Where a caller is needed it is expired, and not refreshed to be signed out.
        let closed = Door.request("/logout", method: "POST", lines: lines)
        #expect(door.ask(closed, at: Self.refusedFrom).refusal == .tokenExpired)
    }

    // MARK: Ahead

    @Test func aCallerIsDueBeforeItsEndWhereTheTenantSaysSo() throws {
        let token = try Door.token()
        let due = try door { $0.refresh = try SampleRenewal.rules(within: .seconds(100)) }
        #expect(due.get("/", token: token).grant?.caller?.lifetime.dueFrom == Door.now + 500)
        #expect(try door().get("/", token: token).grant?.caller?.lifetime.dueFrom == .distantFuture)
        let endless = try Door.token(["exp": nil])
        #expect(due.get("/", token: endless).grant?.caller?.lifetime.dueFrom ?? .distantFuture == .distantFuture)
    }
}
