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
    func theNextOwnerOfItsEmailDoesNotGetIn(_ kind: StoreKind) async throws {
        try await kind.run { place in
            let book = AccountFixture.book(try await place.store())
            let alice = try await book.enter(AccountFixture.apple())
            try await book.forget(Self.apple, at: Self.start + 1)
            let next = try await book.enter(AccountFixture.google())
            #expect(next.subject != alice.subject)
            // Nor does whoever comes later, by whatever provider.
            #expect(try await book.enter(AccountFixture.apple("2")).subject == next.subject)
        }
    }

    @Test func theAccountStaysWithoutTheIdentity() async throws {
        let book = AccountFixture.book(MemoryStore.still)
        let alice = try await book.enter(AccountFixture.apple(), givenName: "Alice")
        // Once more changes nothing.
        for _ in 0..<2 {
            try await book.forget(Self.apple, at: Self.start + 1)
            let account = try #require(try await book.account(ofSubject: alice.subject))
            #expect(account.identities.isEmpty)
            #expect(!account.isEmailVerified)
            #expect(account.name == "Alice")
            #expect(account.createdAt == alice.createdAt)
            // An event that comes again finds whose sessions it ends.
            #expect(try await book.account(of: Self.apple)?.subject == alice.subject)
        }
    }

    @Test func whatAnotherIdentityVouchesForStays() async throws {
        let book = AccountFixture.book(MemoryStore.still)
        let alice = try await book.enter(AccountFixture.apple())
        #expect(try await book.enter(AccountFixture.google()).subject == alice.subject)
        try await book.forget(Self.apple, at: Self.start + 1)
        let account = try #require(try await book.account(ofSubject: alice.subject))
        #expect(account.identities == [AccountFixture.google().key])
        #expect(account.isEmailVerified)
        #expect(try await book.enter(AccountFixture.apple("2")).subject == alice.subject)
    }

    @Test func whoNeverSignedInIsNoAccount() async throws {
        let book = AccountFixture.book(MemoryStore.still)
        try await book.forget(Self.apple, at: Self.start)
        #expect(try await book.account(of: Self.apple) == nil)
    }

    @Test(arguments: [WatchedStore.Call.value, .replace])
    func withoutTheStoreItIsNotAcknowledged(_ call: WatchedStore.Call) async throws {
        let store = WatchedStore()
        let book = AccountFixture.book(store)
        _ = try await book.enter(AccountFixture.apple())
        store.fail([call])
        await #expect(throws: AccountProblem.unavailable(.storeUnavailable)) {
            try await book.forget(Self.apple, at: Self.start + 1)
        }
        store.onCall(nil)
        try await book.forget(Self.apple, at: Self.start + 2)
        #expect(try await book.account(of: Self.apple)?.identities == [])
    }

    /// While it is taken off, somebody signs in at the same account.
    @Test func aSignInInBetweenIsNotUndone() async throws {
        let store = WatchedStore()
        let book = AccountFixture.book(store)
        let alice = try await book.enter(AccountFixture.apple())
        let race = Tally()
        store.onCall { (call) async throws(StoreError) in
            guard call == .replace, race.next() == 1 else { return }
            _ = try? await book.enter(AccountFixture.google())
        }
        try await book.forget(Self.apple, at: Self.start + 1)
        store.onCall(nil)
        let account = try #require(try await book.account(ofSubject: alice.subject))
        #expect(account.identities == [AccountFixture.google().key])
    }
}
