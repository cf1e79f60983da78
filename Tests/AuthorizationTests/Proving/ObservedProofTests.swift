import Authorization
import Store
import Tenants
import Testing
import UpstreamTestSupport
import Verification

@testable import SharedState

/// Bound tokens without a good proof where proofs are only observed: they are judged as ever, and vouch for nobody.
struct ObservedProofTests {
    private static func door(
        access: [AccessRule] = [],
        changing: (inout Tenant) throws -> Void = { _ in }
    ) throws -> ProvingDoor {
        try ProvingDoor(ProofRules(mode: .observe, line: 12), access: access, changing: changing)
    }

    /// Ways to send a bound token that prove nothing.
    private static func unproven(_ token: String) -> [[String]] {
        [ProvingDoor.lines(token), ProvingDoor.lines(token, "x.y.z"), ["Authorization: Bearer \(token)"]]
    }

    @Test func rolesAndScopesAreStillAskedFor() async throws {
        let door = try Self.door(access: [
            try Door.rule("/admin/**", .signedIn(roles: ["admin"], scopes: [])),
            try Door.rule("/write/**", .signedIn(roles: [], scopes: ["delete"])),
            try Door.rule("/orders/**", .signedIn(roles: ["customer"], scopes: ["read"])),
        ])
        for lines in Self.unproven(try door.token()) {
            #expect(try await door.refusal(lines, path: "/admin/x")?.code == .insufficientRole)
            #expect(try await door.refusal(lines, path: "/write/x")?.code == .insufficientScope)
            let grant = try #require(try await door.answer(lines, path: "/orders/x").grant)
            #expect(grant.caller == nil && grant.signsOut == nil && !grant.needsCaller)
            #expect(grant.outcome == .refused(.invalidToken))
            #expect(door.door.circumstances.observed?.line == 12)
        }
    }

    @Test func aTokenThatIsTooOldIsRefused() async throws {
        let door = try Self.door(changing: { tenant in
            tenant.refresh = try SampleRenewal.rules(grace: .seconds(3600))
        })
        for lines in Self.unproven(try door.expiredToken()) {
            #expect(try await door.refusal(lines) == .tokenExpired)
        }
        for lines in Self.unproven(try Door.token(["cnf": ["jkt": "x"]], forged: true)) {
            #expect(try await door.refusal(lines)?.code == .invalidToken)
        }
    }

    @Test func limitsOfTheTokensSubjectHold() async throws {
        let door = try Self.door(changing: { tenant in
            tenant.rateLimits = [RateLimit(key: .subject, count: 1, period: .seconds(10), burst: 2)]
        })
        let lines = ProvingDoor.lines(try door.token())
        for _ in 0..<2 { #expect(try await door.answer(lines).grant != nil) }
        #expect(try await door.refusal(lines)?.code == .rateLimited)
    }

    @Test func aRevokedTokenIsRefused() async throws {
        let door = try Self.door()
        var set = door.door.tenants[0].revocations.set
        let entry = RevocationEntry(revokedAt: Door.now, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(.session("s1")))
        door.door.tenants[0].revocations.use(set)
        let token = try Door.token(["cnf": ["jkt": .string(door.thumbprint)], "sid": "s1"])
        for lines in Self.unproven(token) {
            #expect(try await door.refusal(lines) == .tokenRevoked)
        }
    }

    @Test func whereNobodyHasToBeKnownItIsNobody() async throws {
        let door = try Self.door(access: [try Door.rule("/**", .anyone)])
        for token in [try door.token(), try door.expiredToken()] {
            for lines in Self.unproven(token) {
                let grant = try #require(try await door.answer(lines).grant)
                #expect(grant.caller == nil && grant.outcome == .anonymous)
            }
        }
    }

    @Test func whoProvesItIsWhoTheTokenSays() async throws {
        let door = try Self.door()
        let token = try door.token()
        let answer = try await door.answer(ProvingDoor.lines(token, try door.proof(for: token)))
        #expect(answer.grant?.caller?.principal.subject == "alice")
        #expect(answer.grant?.outcome == .granted)
    }

    // MARK: Signing out

    /// Passed on as nobody's it would leave the session alive, and nobody would know.
    @Test(arguments: [Tenant.Mode.enforce, .observe])
    func aSignOutWithABadProofIsNotIgnored(mode: Tenant.Mode) async throws {
        let access = [try Door.rule("/**", .anyone)]
        let door = try ProvingDoor(ProofRules(mode: mode, line: 12), access: access) { tenant in
            tenant.revokeOn = [RevokeRule(method: "POST", path: try PathPattern("/logout"))]
        }
        let token = try door.token()
        let lines = ProvingDoor.lines(token)
        let refusal = try await door.refusal(lines, path: "/logout", method: "POST")
        #expect(refusal?.proofError == .invalidProof)
        #expect(try await door.answer(lines, path: "/other", method: "POST").grant != nil)
        #expect(try await door.answer([], path: "/logout", method: "POST").grant != nil)
        let proof = try door.proof(
            for: token,
            changing: ["htm": "POST", "htu": "http://app.test/logout"]
        )
        let good = try await door.answer(ProvingDoor.lines(token, proof), path: "/logout", method: "POST")
        #expect(good.grant?.signsOut?.principal.subject == "alice")
    }
}
