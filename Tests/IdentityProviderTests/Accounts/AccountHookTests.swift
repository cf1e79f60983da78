import Store
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct AccountHookTests {
    private static let defaultMessage = "This account may not sign in here"

    private func repository(
        _ side: HookSide,
        _ store: any Store = MemoryStore.still,
        _ rules: AccountRules = AccountRules(),
        log: RecordedLog = RecordedLog()
    ) -> AccountRepository {
        AccountFixture.repository(rules, store, hook: side.hook(rules, log: log), log: log)
    }

    @Test func hookGetsProviderClaimsAndTenantRules() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let rules = AccountRules(realm: "taxi", role: "driver")
        let identity = AccountFixture.apple(email: "x1@privaterelay.appleid.com", isPrivateEmail: true)
        _ = try await repository(side, MemoryStore.still, rules).enter(identity, givenName: "Alice")
        #expect(
            side.accepted == [
                [
                    "tenant": "chat", "realm": "taxi", "role": "driver", "provider": "apple", "subject": "001234.ab",
                    "email": "x1@privaterelay.appleid.com", "email_verified": true, "is_private_email": true,
                    "name": "Alice", "time": 1_800_000_000,
                ]
            ]
        )
        let request = try #require(side.received.first)
        #expect(request.method == "POST")
        #expect(request.url == HookSide.url)
        #expect(request.timeout == .seconds(5))
        #expect(request.fields.contains(EndpointResponse.Field("Content-Type", "application/json")))
    }

    @Test func unknownMembersAreOmitted() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        _ = try await repository(side).enter(AccountFixture.google(email: nil, isEmailVerified: false))
        #expect(
            side.accepted == [
                [
                    "tenant": "chat", "provider": "google", "subject": "1098765", "email_verified": false,
                    "is_private_email": false, "time": 1_800_000_000,
                ]
            ]
        )
    }

    @Test func proofIsUniqueAndValidForOneMinute() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let repository = repository(side)
        _ = try await repository.enter(AccountFixture.apple())
        _ = try await repository.enter(AccountFixture.apple())
        #expect(side.proven.map { $0["iat"]?.double } == [1_800_000_000, 1_800_000_000])
        #expect(side.proven.map { $0["exp"]?.double } == [1_800_000_060, 1_800_000_060])
        #expect(Set(side.proven.compactMap { $0["jti"]?.string }).count == 2)
    }

    @Test func proofWithUnknownKeyIsRefusedByBackend() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        side.signsWithAnotherKey.withLock { $0 = true }
        await #expect(throws: AccountProblem.refusedByHook(status: 403, message: "not from the issuer")) {
            try await repository(side).enter(AccountFixture.apple())
        }
        #expect(side.accepted.isEmpty)
    }

    @Test func hookDecisionIsStored() async throws {
        let side = try HookSide()
        let store = MemoryStore.still
        let repository = repository(side, store)
        side.respond(#"{"subject":"u-1","role":"admin","claims":{"tier":3,"groups":["a"]},"more":1}"#)
        let account = try await repository.enter(AccountFixture.apple(), givenName: "Alice")
        #expect(account.subject == "u-1")
        #expect(account.role == "admin")
        #expect(account.claims == ["tier": 3, "groups": ["a"]])
        #expect(account.name == "Alice")
        #expect(try await repository.account(ofSubject: "u-1") == account)
        #expect(try await repository.account(of: AccountFixture.apple().key) == account)
        side.respond(#"{"subject":"u-1","role":null,"claims":null}"#)
        let later = try await repository.enter(AccountFixture.apple())
        #expect(later.claims == JSONObject())
        #expect(later.role == "admin")
    }

    @Test func hookMayMoveIdentityToAnotherAccount() async throws {
        let side = try HookSide()
        let log = RecordedLog()
        let repository = repository(side, log: log)
        side.respond(#"{"subject":"u-1"}"#)
        _ = try await repository.enter(AccountFixture.apple())
        _ = try await repository.enter(AccountFixture.google())
        #expect(!log.lines.contains { $0.contains("another account") })
        side.respond(#"{"subject":"u-2"}"#)
        #expect(try await repository.enter(AccountFixture.apple()).subject == "u-2")
        #expect(try await repository.account(of: AccountFixture.apple().key)?.subject == "u-2")
        #expect(try await repository.account(ofSubject: "u-1")?.identities == [AccountFixture.google().key])
        #expect(log.lines.contains { $0.hasPrefix("notice the account hook gives an identity to another account") })
    }

    @Test func nextSignInCompletesMoveAfterCrashAtAnyCall() async throws {
        let side = try HookSide()
        for step in 1...20 {
            let store = WatchedStore()
            let repository = repository(side, store)
            side.respond(#"{"subject":"u-1"}"#)
            _ = try await repository.enter(AccountFixture.apple())
            side.respond(#"{"subject":"u-2"}"#)
            let tally = Tally()
            store.onCall { (_) async throws(StoreError) in
                if tally.next() >= step { throw .unavailable("killed") }
            }
            let killed = try? await repository.enter(AccountFixture.apple())
            store.onCall(nil)
            #expect(try await repository.enter(AccountFixture.apple()).subject == "u-2")
            #expect(try await repository.account(of: AccountFixture.apple().key)?.subject == "u-2")
            #expect(try await repository.account(ofSubject: "u-1")?.identities == [], "killed before \(step)")
            if killed != nil { return }
        }
        Issue.record("a sign-in takes more than twenty calls")
    }

    @Test func tenantRoleAppliesWithoutHookRole() async throws {
        let side = try HookSide()
        let store = MemoryStore.still
        let drivers = repository(side, store, AccountRules(realm: "taxi", role: "driver"))
        let riders = repository(side, store, AccountRules(realm: "taxi", role: "rider"))
        side.respond(#"{"subject":"u-1"}"#)
        #expect(try await drivers.enter(AccountFixture.apple()).role == "driver")
        await #expect(throws: AccountProblem.otherRole("driver")) {
            try await riders.enter(AccountFixture.apple())
        }
        side.respond(#"{"subject":"u-1","role":"rider"}"#)
        #expect(try await riders.enter(AccountFixture.apple()).role == "rider")
        // A check does not call the hook, and so finds nothing.
        try await drivers.check(AccountFixture.apple())
    }

    @Test(arguments: [
        (400, #"{"error":"no seat left"}"#, 403, "no seat left"), (401, #"{"detail":"a"}"#, 403, "a"),
        (403, #"{"message":"b"}"#, 403, "b"), (404, "", 403, defaultMessage), (409, "no JSON", 409, defaultMessage),
        (422, #"{"error":1,"detail":"","message":"c"}"#, 422, "c"), (451, "[]", 403, defaultMessage),
        (403, #"{"error":"  a\u0000\nb  "}"#, 403, "ab"), (499, #"{"error":"e","error":"f"}"#, 403, defaultMessage),
    ])
    func refusalReachesAppWithStatusAndMessage(_ status: Int, _ body: String, _ told: Int, _ message: String)
        async throws
    {
        let side = try HookSide()
        let store = MemoryStore.still
        side.respond(body, status: status)
        await #expect(throws: AccountProblem.refusedByHook(status: told, message: message)) {
            try await repository(side, store).enter(AccountFixture.apple())
        }
        #expect(try await repository(side, store).account(of: AccountFixture.apple().key) == nil)
    }

    @Test func longMessageIsCutAtCharacterBoundary() async throws {
        let side = try HookSide()
        side.respond("{\"error\":\"a\(String(repeating: "é", count: 200))\"}", status: 403)
        let message = "a" + String(repeating: "é", count: 99)
        await #expect(throws: AccountProblem.refusedByHook(status: 403, message: message)) {
            try await repository(side).enter(AccountFixture.apple())
        }
    }

    @Test(arguments: [100, 204 + 100, 302, 408, 425, 429, 500, 503])
    func otherStatusIsUnavailable(_ status: Int) async throws {
        let side = try HookSide()
        let log = RecordedLog()
        side.respond(#"{"error":"busy","subject":"u-1"}"#, status: status)
        #expect(try await code(side, log) == .backendUnavailable)
        #expect(log.lines == ["warning the account hook fails status=\(status)"])
    }

    @Test(arguments: ProviderRequestFailure.allCases)
    func failedRequestIsUnavailable(_ trouble: ProviderRequestFailure) async throws {
        let side = try HookSide()
        side.onRequest { (_) throws(ProviderRequestFailure) in throw trouble }
        let code = try await code(side, RecordedLog())
        #expect(code == (trouble == .timeout ? .backendTimeout : .backendUnavailable))
    }

    @Test(arguments: [
        ("", "not JSON"), ("[]", "not a JSON object"), ("{}", "subject"), (#"{"subject":1}"#, "subject"),
        (#"{"subject":""}"#, "subject"), (#"{"subject":"a\nb"}"#, "subject"),
        (#"{"subject":"a\u0085b"}"#, "subject"), (#"{"subject":"u","role":""}"#, "role"),
        (#"{"subject":"u","role":["a"]}"#, "role"), (#"{"subject":"u","role":"a\u0000"}"#, "role"),
        (#"{"subject":"u","claims":[]}"#, "claims must be"), (#"{"subject":"u","claims":{"sub":"v"}}"#, "has sub"),
        (#"{"subject":"u","claims":{"a":1,"exp":9}}"#, "has exp"), (#"{"subject":"u","subject":"v"}"#, "not JSON"),
    ])
    func invalidResponseIsLoggedWithReason(_ body: String, _ reason: String) async throws {
        let side = try HookSide()
        let log = RecordedLog()
        side.respond(body)
        #expect(try await code(side, log) == .backendUnavailable)
        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("error the account hook's response cannot be used"))
        #expect(line.contains(reason))
    }

    @Test func responseMembersAreBounded() throws {
        let subject = String(repeating: "a", count: 255)
        #expect(try AccountHook.Response(Array("{\"subject\":\"\(subject)\"}".utf8)).subject == subject)
        #expect(throws: AccountHook.Response.Fault.subject) {
            try AccountHook.Response(Array("{\"subject\":\"\(subject)a\"}".utf8))
        }
        #expect(throws: AccountHook.Response.Fault.role) {
            try AccountHook.Response(Array("{\"subject\":\"a\",\"role\":\"\(subject)\"}".utf8))
        }
        let claim = String(repeating: "a", count: 4096 - #"{"a":""}"#.utf8.count)
        let fits = Array("{\"subject\":\"a\",\"claims\":{\"a\":\"\(claim)\"}}".utf8)
        #expect(try AccountHook.Response(fits).claims == ["a": .string(claim)])
        #expect(throws: AccountHook.Response.Fault.tooManyClaims(bytes: 4097)) {
            try AccountHook.Response(Array("{\"subject\":\"a\",\"claims\":{\"a\":\"a\(claim)\"}}".utf8))
        }
    }

    @Test func reservedClaimIsRefused() {
        for name in AccessTokenClaims.reserved {
            #expect(throws: AccountHook.Response.Fault.reservedClaim(name)) {
                try AccountHook.Response(Array("{\"subject\":\"a\",\"claims\":{\"\(name)\":1}}".utf8))
            }
        }
    }

    @Test func nothingIsSentWithoutSignature() async throws {
        let side = try HookSide()
        side.cannotSign.withLock { $0 = true }
        #expect(try await code(side, RecordedLog()) == .overloaded)
        #expect(side.received.isEmpty)
    }

    private func code(_ side: HookSide, _ log: RecordedLog) async throws -> EndpointRefusal.Code? {
        do {
            _ = try await repository(side, log: log).enter(AccountFixture.apple())
            return nil
        } catch AccountProblem.unavailable(let refusal) {
            #expect(refusal.status == 503)
            return refusal.code
        }
    }
}
