import Store
import Synchronization
import Testing
import Time
import Verification

@testable import IdentityProvider

struct AuthorizationCodesTests {
    private static let start = IssuerFixture.start
    private static let grant = CodeGrant(
        clientID: "mobile",
        redirectURI: "clanboards://oauthredirect",
        codeChallenge: IssuerFixture.challenge,
        scopes: ["openid", "email"],
        nonce: "n-0S6",
        subject: "alice",
        provider: "company",
        claims: ["role": "editor", "org": 7],
        device: "Alice's telephone",
        signedInAt: start - 10,
        authenticatedAt: start - 5000,
        issuedAt: start
    )

    private func key(of code: String, tenant: String = "clans") throws -> StoreKey {
        StoreKey(tenant: tenant, kind: "code", hashing: try #require(Base64URL.decode(code)))
    }

    @Test func codeGivesGrantUntilSpent() async throws {
        let codes = AuthorizationCodes(store: MemoryStore.still, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        #expect(Base64URL.decode(code)?.count == 32)
        guard case .fresh(let grant, let fresh) = try await codes.find(code, at: Self.start + 1) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        #expect(grant == Self.grant)
        #expect(try await codes.spend(fresh, sessionID: "session 1"))
        #expect(try await !codes.spend(fresh, sessionID: "session 2"))
        guard case .spent("session 1") = try await codes.find(code, at: Self.start + 1) else {
            throw UnexpectedResponse(what: "not spent")
        }
    }

    @Test func invalidatedCodeHasNoSession() async throws {
        let codes = AuthorizationCodes(store: MemoryStore.still, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        guard case .fresh(_, let fresh) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        #expect(try await codes.spend(fresh, sessionID: nil))
        guard case .spent(nil) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "not spent")
        }
    }

    @Test func grantWithoutOptionalMembersRoundTrips() async throws {
        let codes = AuthorizationCodes(store: MemoryStore.still, tenant: "clans")
        var bare = Self.grant
        (bare.nonce, bare.device, bare.scopes) = (nil, nil, [])
        let code = try await codes.issue(bare, at: Self.start)
        guard case .fresh(bare, _) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "another grant")
        }
    }

    @Test func codeLivesOneMinuteAndSpentMarkTenMinutes() async throws {
        let time = Mutex(Self.start)
        let codes = AuthorizationCodes(store: MemoryStore(clock: { time.withLock { $0 } }), tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        guard case .fresh(_, let fresh) = try await codes.find(code, at: Self.start + 59.9) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        // The instance's clock is ahead of the store's.
        guard case .unknown = try await codes.find(code, at: Self.start + 60) else {
            throw UnexpectedResponse(what: "still there")
        }
        time.withLock { $0 = Self.start + 59 }
        #expect(try await codes.spend(fresh, sessionID: "session 1"))
        time.withLock { $0 = Self.start + 658 }
        guard case .spent("session 1") = try await codes.find(code, at: Self.start + 658) else {
            throw UnexpectedResponse(what: "forgotten too soon")
        }
        time.withLock { $0 = Self.start + 660 }
        guard case .unknown = try await codes.find(code, at: Self.start + 660) else {
            throw UnexpectedResponse(what: "still there")
        }
    }

    @Test func forgottenCodeCannotBeSpent() async throws {
        let time = Mutex(Self.start)
        let codes = AuthorizationCodes(store: MemoryStore(clock: { time.withLock { $0 } }), tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        guard case .fresh(_, let fresh) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        time.withLock { $0 = Self.start + 61 }
        #expect(try await !codes.spend(fresh, sessionID: "session 1"))
    }

    @Test func oneOfManyConcurrentSpendsSucceeds() async throws {
        let codes = AuthorizationCodes(store: MemoryStore.still, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        guard case .fresh(_, let fresh) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask { try await codes.spend(fresh, sessionID: "session \(number)") }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(winners == 1)
    }

    @Test func storedCodeRevealsNeitherCodeNorGrant() async throws {
        let store = MemoryStore.still
        let codes = AuthorizationCodes(store: store, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        let key = try key(of: code)
        #expect(!key.text.contains(code))
        let record = String(decoding: try #require(try await store.value(for: key)), as: UTF8.self)
        for secret in [code, "alice", "mobile", "oauthredirect", "openid", IssuerFixture.challenge] {
            #expect(!record.contains(secret))
        }
    }

    @Test func codeIsUnknownAtAnotherTenant() async throws {
        let store = MemoryStore.still
        let code = try await AuthorizationCodes(store: store, tenant: "clans").issue(Self.grant, at: Self.start)
        let others = AuthorizationCodes(store: store, tenant: "chat")
        guard case .unknown = try await others.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "known")
        }
        // Not even with its record copied there.
        let record = try #require(try await store.value(for: key(of: code)))
        try await store.set(record, for: key(of: code, tenant: "chat"), lifetime: nil)
        await #expect(throws: StoreError.self) { try await others.find(code, at: Self.start) }
    }

    @Test(arguments: ["", "x", "not base64url!", String(repeating: "A", count: 43), String(repeating: "A", count: 44)])
    func unissuedCodeIsUnknown(_ code: String) async throws {
        let codes = AuthorizationCodes(store: MemoryStore.still, tenant: "clans")
        guard case .unknown = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "known")
        }
    }

    @Test(arguments: ["", "F", "Fnonsense", "X", "{}"])
    func garbledRecordIsError(_ record: String) async throws {
        let store = MemoryStore.still
        let codes = AuthorizationCodes(store: store, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        try await store.set(Array(record.utf8), for: key(of: code), lifetime: nil)
        await #expect(throws: StoreError.self) { try await codes.find(code, at: Self.start) }
    }

    @Test func storeFailureIsError() async throws {
        let store = WatchedStore()
        let codes = AuthorizationCodes(store: store, tenant: "clans")
        let code = try await codes.issue(Self.grant, at: Self.start)
        guard case .fresh(_, let fresh) = try await codes.find(code, at: Self.start) else {
            throw UnexpectedResponse(what: "not fresh")
        }
        store.fail(WatchedStore.Call.allCases)
        await #expect(throws: StoreError.self) { try await codes.issue(Self.grant, at: Self.start) }
        await #expect(throws: StoreError.self) { try await codes.find(code, at: Self.start) }
        await #expect(throws: StoreError.self) { try await codes.spend(fresh, sessionID: nil) }
    }
}
