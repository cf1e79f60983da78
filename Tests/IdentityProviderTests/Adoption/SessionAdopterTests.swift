import Store
import TestSupport
import Testing
import Time
import Verification

@testable import Adoption
@testable import IdentityProvider
@testable import Tenants

struct SessionAdopterTests {
    private static let start = AdoptingFixture.start

    @Test func sessionHasSubjectScopesAndClaimsOfFormerOne() async throws {
        let fixture = try AdoptingFixture()
        let tokens = try await fixture.open(try fixture.former())
        let claims = try fixture.claims(tokens)
        #expect(claims["iss"] == "https://chat.example" && claims["sub"] == "alice")
        #expect(claims["scope"] == "read write" && claims["role"] == "customer")
        #expect(claims["email"] == "alice@example.test")
        #expect(tokens.idToken == nil, "the former token has not the scope openid")
        let session = try #require(await fixture.sessions().first)
        #expect(session.provider == "adoption" && session.device == "App/1" && session.address == "192.0.2.7")
        #expect(!session.isProven && session.beganInBrowser)
    }

    @Test func scopesAreNotWidened() async throws {
        let fixture = try AdoptingFixture()
        let claims = try fixture.claims(try await fixture.open(try fixture.former(["scope": nil])))
        #expect(claims["scope"] == nil)
    }

    @Test func timeOfSignInIsTheFormerOne() async throws {
        let fixture = try AdoptingFixture()
        let former = try fixture.former(["auth_time": 1_700_000_000])
        #expect(try fixture.claims(try await fixture.open(former))["auth_time"] == 1_700_000_000)
        let unknown = try fixture.claims(try await fixture.open(try fixture.former()))
        #expect(unknown["auth_time"] == .number(JSONNumber(Int(Self.start.seconds - AdoptingFixture.age))))
        let later = try fixture.former(["auth_time": 1_900_000_000])
        #expect(try fixture.claims(try await fixture.open(later))["auth_time"] == 1_800_000_000)
    }

    @Test func onlyIssuerSaysItsOwnClaims() async throws {
        let fixture = try AdoptingFixture()
        let former = try fixture.former(claims: ["sub": "root", "client_id": "admin", "cnf": [:], "plan": "gold"])
        let claims = try fixture.claims(try await fixture.open(former))
        #expect(claims["sub"] == "alice" && claims["client_id"] == nil && claims["cnf"] == nil)
        #expect(claims["plan"] == "gold")
    }

    @Test func boundTokenStaysBound() async throws {
        let fixture = try AdoptingFixture()
        let key = Base64URL.encode(Array(repeating: 7, count: 32))
        let former = try fixture.former(["cnf": ["jkt": .string(key)]])
        let tokens = try await fixture.open(former)
        #expect(try fixture.claims(tokens)["cnf"] == ["jkt": .string(key)])
        // The refresh token, too.
        let refused = try await refusal {
            try await fixture.base.sessions.refresh(try tokens.refresh, at: Self.start)
        }
        #expect(refused == .otherKey)
    }

    @Test func tooManyClaimsAreRefused() async throws {
        let fixture = try AdoptingFixture()
        let former = try fixture.former(claims: ["blob": .string(String(repeating: "x", count: 5000))])
        await #expect(throws: AdoptionFailure.tooManyClaims) { try await fixture.open(former) }
    }

    @Test func nothingIsBegunTooLate() async throws {
        let fixture = try AdoptingFixture()
        await #expect(throws: AdoptionFailure.late) {
            try await fixture.open(try fixture.former(), isInTime: false)
        }
        #expect(try await fixture.sessions().isEmpty)
    }

    @Test func accountGetsBoundedSessions() async throws {
        let fixture = try AdoptingFixture()
        for number in 0..<100 { _ = try await fixture.open(try fixture.former(["sid": .string("s-\(number)")])) }
        await #expect(throws: AdoptionFailure.tooManySessions) { try await fixture.open(try fixture.former()) }
    }

    @Test func sessionIsUnusedUntilItsFirstRefresh() async throws {
        let fixture = try AdoptingFixture()
        let tokens = try await fixture.open(try fixture.former())
        #expect(try await fixture.isUnused(tokens.sessionID))
        _ = try await fixture.base.sessions.refresh(try tokens.refresh, at: Self.start + 60)
        #expect(try await !fixture.isUnused(tokens.sessionID))
        #expect(try await !fixture.isUnused("unknown"))
    }

    // MARK: Revocations

    @Test(arguments: [RevocationTarget.subject("alice"), .tenant, .session("old-session")])
    func revokedSessionIsNotAdopted(_ target: RevocationTarget) async throws {
        let fixture = try AdoptingFixture()
        try await fixture.revoke(target)
        await #expect(throws: AdoptionFailure.revoked) { try await fixture.open(try fixture.former()) }
        #expect(try await fixture.sessions().isEmpty)
    }

    /// They have signed in at the former issuer since.
    @Test func earlierRevocationOfSubjectDoesNotCount() async throws {
        let fixture = try AdoptingFixture()
        try await fixture.revoke(.subject("alice"), at: Self.start - AdoptingFixture.age - 60)
        _ = try await fixture.open(try fixture.former())
    }

    /// New tokens would count as issued then, and be refused at once.
    @Test func revocationSinceTheSignInCounts() async throws {
        let fixture = try AdoptingFixture()
        try await fixture.revoke(.subject("alice"), at: Self.start - AdoptingFixture.age - 60)
        let former = try fixture.former(["auth_time": .number(JSONNumber(Int(Self.start.seconds) - 86_400))])
        await #expect(throws: AdoptionFailure.revoked) { try await fixture.open(former) }
    }

    @Test func sessionRemembersTheTokenThatItCameFrom() async throws {
        let fixture = try AdoptingFixture()
        let former = try fixture.former(["jti": "t-1"])
        _ = try await fixture.open(former)
        let kept = try #require(try await fixture.sessions().first?.former)
        #expect(kept == FormerToken(former.principal) && kept.sessionID == "old-session" && kept.tokenID == "t-1")
    }

    @Test func deletedAccountIsNotAdopted() async throws {
        let fixture = try AdoptingFixture()
        _ = try await fixture.accounts.delete("alice", at: Self.start)
        await #expect(throws: AdoptionFailure.deletedAccount) { try await fixture.open(try fixture.former()) }
        #expect(try await fixture.sessions().isEmpty)
    }

    // MARK: Accounts

    /// The account of a subject, as a hook gave it.
    private func account(
        _ fixture: AdoptingFixture,
        role: String?,
        email: String? = "alice@account.test"
    ) async throws {
        var account = Account(subject: "alice", createdAt: Self.start)
        account.role = role
        account.email = email
        account.isEmailVerified = email != nil
        account.name = "Alice"
        #expect(try await fixture.accounts.records.replace(nil, with: AccountRecord(account)))
    }

    @Test func knownSubjectContinuesItsAccount() async throws {
        let fixture = try AdoptingFixture()
        try await account(fixture, role: "driver")
        let former = try fixture.former(claims: [
            "role": "customer", "roles": ["admin"], "email": "x@y.test", "plan": 1,
        ])
        let claims = try fixture.claims(try await fixture.open(former))
        #expect(claims["role"] == "driver" && claims["roles"] == nil)
        #expect(claims["email"] == "alice@account.test" && claims["name"] == "Alice" && claims["plan"] == 1)
    }

    @Test func accountOfOtherRoleIsNotAdopted() async throws {
        let fixture = try AdoptingFixture(rules: AccountRules(role: "customer"))
        try await account(fixture, role: "driver")
        await #expect(throws: AdoptionFailure.otherRole) { try await fixture.open(try fixture.former()) }
    }

    @Test func noAccountIsMade() async throws {
        let fixture = try AdoptingFixture()
        _ = try await fixture.open(try fixture.former())
        #expect(try await fixture.accounts.account(ofSubject: "alice") == nil)
    }

    // MARK: Whom `who` lets in

    private func admission(domains: [String] = [], groups: [String] = []) throws -> Admission {
        Admission(
            SignInAdmission(
                emailDomains: domains,
                groups: groups,
                groupsClaim: try #require(ClaimPlace("/groups"))
            ),
            emails: nil
        )
    }

    @Test func onlyAdmittedPeopleAreAdopted() async throws {
        let fixture = try AdoptingFixture(admission: try admission(domains: ["example.test"]))
        _ = try await fixture.open(try fixture.former())
        for claims: JSONObject in [
            ["email": "alice@example.test"], ["email": "alice@other.test", "email_verified": true], [:],
        ] {
            await #expect(throws: AdoptionFailure.notAllowed) {
                try await fixture.open(try fixture.former(claims: claims))
            }
        }
    }

    @Test func addressOfAccountCounts() async throws {
        let fixture = try AdoptingFixture(admission: try admission(domains: ["example.test"]))
        try await account(fixture, role: nil)
        await #expect(throws: AdoptionFailure.notAllowed) { try await fixture.open(try fixture.former()) }
    }

    @Test func groupsOfFormerTokenCount() async throws {
        let fixture = try AdoptingFixture(admission: try admission(groups: ["staff"]))
        _ = try await fixture.open(try fixture.former(["groups": ["staff", "x"]]))
        for groups in [nil, "visitors", ["Staff"]] as [JSONValue?] {
            await #expect(throws: AdoptionFailure.notAllowed) {
                try await fixture.open(try fixture.former(["groups": groups]))
            }
        }
    }
}
