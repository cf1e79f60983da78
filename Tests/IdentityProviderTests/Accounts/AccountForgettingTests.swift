import Store
import Tenants
import TestSupport
import Testing
import Time

@testable import IdentityProvider

/// Identities that their provider has deleted.
struct AccountForgettingTests {
    private static let start = AccountFixture.start
    private static let apple = AccountFixture.apple().key

    @Test(arguments: StoreKind.allCases)
    func newOwnerOfEmailGetsOwnAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let repository = AccountFixture.repository(try await stores.store())
            let alice = try await repository.enter(AccountFixture.apple())
            try await repository.forget(Self.apple, at: Self.start + 1)
            let next = try await repository.enter(AccountFixture.google())
            #expect(next.subject != alice.subject)
            // Nor do later identities with that e-mail.
            #expect(try await repository.enter(AccountFixture.apple("2")).subject == next.subject)
        }
    }

    @Test func forgottenIdentityIsRemovedAndAccountStays() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.apple(), givenName: "Alice")
        // Once more changes nothing.
        for _ in 0..<2 {
            try await repository.forget(Self.apple, at: Self.start + 1)
            let account = try #require(try await repository.account(ofSubject: alice.subject))
            #expect(account.identities.isEmpty)
            #expect(!account.isEmailVerified)
            #expect(account.name == "Alice")
            #expect(account.createdAt == alice.createdAt)
            // A repeated event still finds the account.
            #expect(try await repository.account(of: Self.apple)?.subject == alice.subject)
        }
    }

    @Test func emailVerifiedByAnotherIdentityStaysVerified() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.apple())
        #expect(try await repository.enter(AccountFixture.google()).subject == alice.subject)
        try await repository.forget(Self.apple, at: Self.start + 1)
        let account = try #require(try await repository.account(ofSubject: alice.subject))
        #expect(account.identities == [AccountFixture.google().key])
        #expect(account.isEmailVerified)
        #expect(try await repository.enter(AccountFixture.apple("2")).subject == alice.subject)
    }

    @Test func forgettingUnknownIdentityChangesNothing() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        try await repository.forget(Self.apple, at: Self.start)
        #expect(try await repository.account(of: Self.apple) == nil)
    }

    @Test(arguments: [WatchedStore.Call.value, .replace])
    func storeFailureIsReportedAndCanBeRetried(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(store)
        _ = try await repository.enter(AccountFixture.apple())
        store.fail([call])
        await #expect(throws: AccountProblem.unavailable(.storeUnavailable)) {
            try await repository.forget(Self.apple, at: Self.start + 1)
        }
        store.onCall(nil)
        try await repository.forget(Self.apple, at: Self.start + 2)
        #expect(try await repository.account(of: Self.apple)?.identities == [])
    }

    /// Another identity signs in to the account while this one is removed.
    @Test func concurrentSignInIsKept() async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(store)
        let alice = try await repository.enter(AccountFixture.apple())
        let race = Tally()
        store.onCall { (call) async throws(StoreError) in
            guard call == .replace, race.next() == 1 else { return }
            _ = try? await repository.enter(AccountFixture.google())
        }
        try await repository.forget(Self.apple, at: Self.start + 1)
        store.onCall(nil)
        let account = try #require(try await repository.account(ofSubject: alice.subject))
        #expect(account.identities == [AccountFixture.google().key])
    }
}
