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
    private func door(
        onStoreFailure: StoreFailurePolicy = .deny,
        mode: Tenant.Mode = .enforce,
        revokeOn: [RevokeRule] = []
    ) throws -> Door {
        var tenant = try Door.tenant(
            access: [Door.rule("/open/**", .anyone), Door.rule("/staff", .signedIn(roles: ["staff"], scopes: []))],
            mode: mode
        )
        tenant.onStoreFailure = onStoreFailure
        tenant.maxStaleness = .seconds(30)
        tenant.revokeOn = revokeOn
        return Door([tenant])
    }

    private func revoke(
        _ targets: RevocationTarget...,
        at door: Door,
        version: UInt64 = 1,
        expiresAt: UnixTime = .distantFuture
    ) {
        var set = door.tenants[0].revocations.set
        for target in targets {
            let entry = RevocationEntry(revokedAt: Door.now, expiresAt: expiresAt, version: version)
            _ = set.apply(entry, for: RevocationDigest(target))
        }
        door.tenants[0].revocations.use(set)
    }

    private func withdraw(_ target: RevocationTarget, at door: Door, version: UInt64) {
        var set = door.tenants[0].revocations.set
        let entry = RevocationEntry(isWithdrawn: true, revokedAt: 0, expiresAt: .distantFuture, version: version)
        _ = set.apply(entry, for: RevocationDigest(target))
        door.tenants[0].revocations.use(set)
    }

    @Test func tokenThatIsKnownFallsWithTheNextSetAndComesBackWithAnother() throws {
        let door = try door()
        let token = try Door.token(["sid": "s1"])
        for _ in 0..<2 { #expect(door.get("/", token: token).grant?.caller != nil) }
        revoke(.session("s1"), at: door)
        for _ in 0..<2 { #expect(door.get("/", token: token).refusal == .tokenRevoked) }
        withdraw(.session("s1"), at: door, version: 2)
        #expect(door.get("/", token: token).grant?.caller != nil)
    }

    @Test func revocationThatHasEndedRefusesNobody() throws {
        let door = try door()
        let token = try Door.token(["sid": "s1"])
        revoke(.session("s1"), at: door, expiresAt: Door.now + 100)
        #expect(door.get("/", token: token, at: Door.now + 99).refusal == .tokenRevoked)
        #expect(door.get("/", token: token, at: Door.now + 100).grant?.caller != nil)
    }

    @Test func revokedCallerIsNobodyOnAnOpenPath() throws {
        let door = try door()
        let token = try Door.token(["sid": "s1"])
        revoke(.session("s1"), at: door)
        let grant = try #require(door.get("/open/x", token: token).grant)
        #expect(grant.caller == nil && grant.outcome == .anonymous)
    }

    @Test func revokedComesBeforeTheRoleThatIsLacking() throws {
        let door = try door()
        let token = try Door.token(["sid": "s1"])
        #expect(door.get("/staff", token: token).refusal?.code == .insufficientRole)
        revoke(.session("s1"), at: door)
        #expect(door.get("/staff", token: token).refusal == .tokenRevoked)
    }

    @Test func observedTenantLetsTheRevokedThroughUnknown() throws {
        let door = try door(mode: .observe)
        let token = try Door.token(["sid": "s1"])
        revoke(.session("s1"), at: door)
        let grant = try #require(door.get("/", token: token).grant)
        #expect(grant.caller == nil && grant.outcome == .refused(.tokenRevoked))
    }

    // MARK: Age

    private static let second: UInt64 = 1_000_000_000

    @Test func copyThatIsTooOldRefusesCallersAndNotPathsOpenToAnyone() throws {
        let door = try door()
        let token = try Door.token()
        let revocations = door.tenants[0].revocations
        #expect(door.get("/", token: token).grant?.caller != nil)
        revocations.age(since: .after(Self.second), at: .after(31 * Self.second))
        #expect(door.get("/", token: token).grant?.caller != nil, "thirty seconds are not more than thirty")
        revocations.age(since: .after(Self.second), at: .after(31 * Self.second + 1))
        let refusal = try #require(door.get("/", token: token).refusal)
        #expect(refusal.status == 503 && refusal.code == .storeUnavailable && refusal.retryAfterSeconds != nil)
        #expect(door.get("/").refusal == .missingToken)
        let open = try #require(door.get("/open/x", token: token).grant)
        #expect(open.caller == nil, "nobody can vouch for the caller")
        revocations.age(since: .after(20 * Self.second), at: .after(32 * Self.second))
        #expect(door.get("/", token: token).grant?.caller != nil)
    }

    @Test func copyThatWasNeverLoadedIsTooOld() throws {
        let door = try door()
        door.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        #expect(door.get("/", token: try Door.token()).refusal?.code == .storeUnavailable)
    }

    @Test func tenantMayGoOnWithAnOldCopyButKeepsToIt() throws {
        let door = try door(onStoreFailure: .allow)
        let token = try Door.token(["sid": "s1"])
        door.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        #expect(door.get("/", token: token).grant?.caller != nil)
        revoke(.session("s1"), at: door)
        #expect(door.get("/", token: token).refusal == .tokenRevoked)
    }

    // MARK: Signing out

    @Test func signOutIsGrantedWithItsCaller() throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let door = try door(revokeOn: [rule])
        let lines = ["Authorization: Bearer \(try Door.token())"]
        let grant = try #require(door.ask(Door.request("/open/logout", method: "POST", lines: lines)).grant)
        #expect(grant.signsOut != nil && grant.caller != nil)
        #expect(door.ask(Door.request("/open/logout", lines: lines)).grant?.signsOut == nil)
        let anonymous = try #require(door.ask(Door.request("/open/logout", method: "POST")).grant)
        #expect(anonymous.signsOut == nil)
    }

    /// A backend that merges slashes or drops parameters signs out for these too.
    @Test(arguments: ["/open//logout", "/open/logout;x=1", "/open/x/../logout", "/open/%6cogout"])
    func signOutIsKnownInEverySpelling(_ target: String) throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let door = try door(revokeOn: [rule])
        let lines = ["Authorization: Bearer \(try Door.token())"]
        #expect(door.ask(Door.request(target, method: "POST", lines: lines)).grant?.signsOut != nil)
    }

    @Test func whoCannotBeKnownIsNotSignedOutInSilence() throws {
        let rule = RevokeRule(method: "POST", path: try PathPattern("/open/logout"))
        let door = try door(revokeOn: [rule])
        door.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        let lines = ["Authorization: Bearer \(try Door.token())"]
        let refusal = try #require(door.ask(Door.request("/open/logout", method: "POST", lines: lines)).refusal)
        #expect(refusal.code == .storeUnavailable)
        #expect(door.ask(Door.request("/open/logout", method: "POST")).grant != nil)
    }

    /// A rule that is only observed excuses what it refuses itself, and no sign-out that is not done.
    @Test func whoCannotBeKnownIsNotSignedOutInSilenceWhereTheRuleIsObserved() throws {
        var tenant = try Door.tenant(access: [
            AccessRule(
                path: try PathPattern("/**"),
                allow: .signedIn(roles: ["staff"], scopes: []),
                mode: .observe,
                line: 9
            )
        ])
        tenant.maxStaleness = .seconds(30)
        tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        let door = Door([tenant])
        door.tenants[0].revocations.age(since: nil, at: .after(Self.second))
        let lines = ["Authorization: Bearer \(try Door.token())"]
        let refusal = door.ask(Door.request("/logout", method: "POST", lines: lines)).refusal
        #expect(refusal?.code == .storeUnavailable)
        #expect(door.ask(Door.request("/other", method: "POST", lines: lines)).grant != nil)
    }

    @Test func aSignOutThatThereIsNoRoomForIsNotIgnored() throws {
        let door = try door(revokeOn: [RevokeRule(method: "POST", path: try PathPattern("/open/logout"))])
        let lines = ["Authorization: Bearer \(try Door.token())"]
        door.circumstances.steps.withoutRoom = .signature
        let refusal = door.ask(Door.request("/open/logout", method: "POST", lines: lines), allowing: []).refusal
        #expect(refusal == .overloaded)
    }
}
