import TestSupport
import Testing
import Verification

@testable import Adoption
@testable import IdentityProvider
@testable import Tenants

/// The account hook says whose an adopted session is.
struct AdoptionHookTests {
    @Test func hookIsAskedWithFormerIssuerAndSubject() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1","role":"rider","claims":{"plan":"gold"}}"#)
        let fixture = try AdoptingFixture(rules: AccountRules(realm: "taxi", role: "rider"), hook: side)
        let claims = try fixture.claims(try await fixture.open(try fixture.former()))
        #expect(claims["sub"] == "u-1" && claims["role"] == "rider" && claims["plan"] == "gold")
        #expect(
            side.accepted == [
                [
                    "tenant": "chat", "realm": "taxi", "role": "rider", "method": "adoption",
                    "issuer": .string(SampleTenant.issuer), "subject": "alice", "email": "alice@example.test",
                    "email_verified": true,
                    "claims": ["email": "alice@example.test", "email_verified": true, "role": "customer"],
                    "time": 1_800_000_000,
                ]
            ]
        )
    }

    /// Its word replaces all roles of the former token.
    @Test func rolesOfHookReplaceOthers() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"alice","role":"user"}"#)
        let fixture = try AdoptingFixture(hook: side)
        let former = try fixture.former(claims: ["role": "admin", "roles": ["admin", "owner"]])
        let claims = try fixture.claims(try await fixture.open(former))
        #expect(claims["role"] == "user" && claims["roles"] == nil)
    }

    @Test func refusalOfHookIsNoSession() async throws {
        let side = try HookSide()
        side.respond(#"{"error":"closed"}"#, status: 403)
        let fixture = try AdoptingFixture(hook: side)
        await #expect(throws: AdoptionFailure.refusedByHook) { try await fixture.open(try fixture.former()) }
        #expect(try await fixture.sessions().isEmpty)
    }

    @Test(arguments: [500, 503, 429, 200])
    func hookThatFailsIsTemporary(status: Int) async throws {
        let side = try HookSide()
        side.respond("no JSON", status: status)
        let fixture = try AdoptingFixture(hook: side)
        await #expect(throws: AdoptionFailure.hookUnavailable) { try await fixture.open(try fixture.former()) }
        #expect(AdoptionFailure.hookUnavailable.isTemporary)
    }

    /// Revoking somebody must not leave a way back by a former token.
    @Test func subjectOfHookMustNotBeRevokedSince() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let fixture = try AdoptingFixture(hook: side)
        try await fixture.revoke(.subject("u-1"))
        await #expect(throws: AdoptionFailure.revoked) { try await fixture.open(try fixture.former()) }
    }

    @Test func deletedSubjectOfHookIsNotAdopted() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let fixture = try AdoptingFixture(hook: side)
        _ = try await fixture.accounts.delete("u-1", at: AdoptingFixture.start)
        await #expect(throws: AdoptionFailure.deletedAccount) { try await fixture.open(try fixture.former()) }
    }

    @Test func revokedCallerIsNotAskedAbout() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let fixture = try AdoptingFixture(hook: side)
        try await fixture.revoke(.subject("alice"))
        await #expect(throws: AdoptionFailure.revoked) { try await fixture.open(try fixture.former()) }
        #expect(side.received.isEmpty)
    }
}
