import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider
@testable import Tenants

/// Accounts that are deleted.
struct AccountDeletingTests {
    private static let start = AccountFixture.start

    @Test(arguments: StoreKind.allCases)
    func sameLoginMakesANewAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let repository = AccountFixture.repository(try await stores.store())
            let alice = try await repository.enter(AccountFixture.apple())
            #expect(try await repository.enter(AccountFixture.google()).subject == alice.subject)
            #expect(try await repository.delete(alice.subject, at: Self.start))
            #expect(try await repository.account(ofSubject: alice.subject) == nil)
            let next = try await repository.enter(AccountFixture.apple())
            #expect(next.subject != alice.subject)
            #expect(next.identities == [AccountFixture.apple().key])
            // By e-mail, which leads to the new one now.
            #expect(try await repository.enter(AccountFixture.google()).subject == next.subject)
            // Repeating it takes nothing from the new account.
            #expect(try await repository.delete(alice.subject, at: Self.start))
            try await repository.finishDeletion(alice.subject)
            #expect(try await repository.enter(AccountFixture.apple()).subject == next.subject)
        }
    }

    @Test func accountWithoutARecordIsMarkedToo() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        #expect(try await !repository.delete("nobody", at: Self.start))
        #expect(try await repository.account(ofSubject: "nobody") == nil)
    }

    /// Neither what it was before the app moved to another team, nor what finds it after the move.
    @Test func movedLoginMakesANewAccountByAnyOfItsIdentifiers() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let former = AccountFixture.apple(email: nil)
        let alice = try await repository.enter(former)
        let transfer = AppleTransfer(team: "NEW", subject: "transfer-1")
        #expect(try await repository.keep(transfer, of: former.key, ofSubject: alice.subject, at: Self.start))
        var moved = AccountFixture.apple("009876.cd", email: nil)
        moved.transferSubject = transfer.subject
        #expect(try await repository.enter(moved).subject == alice.subject)
        #expect(try await repository.delete(alice.subject, at: Self.start))
        for key in [former.key, moved.key] {
            #expect(try await repository.account(of: key) == nil)
        }
        try await repository.finishDeletion(alice.subject)
        #expect(try await repository.enter(former).subject != alice.subject)
        #expect(try await repository.enter(moved).subject != alice.subject)
    }

    @Test func passkeyOfADeletedAccountIsUnknown() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let account = try await repository.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        let credential = try authenticator.registration().credential(PretendAuthenticator.expectation())
        let passkey = AccountPasskey(credential: credential, name: "Key", addedAt: Self.start)
        try await repository.add(passkey, toSubject: account.subject, at: Self.start)
        _ = try await repository.delete(account.subject, at: Self.start)
        let claim = PasskeyClaim(
            id: authenticator.id,
            userHandle: AccountPasskey.userHandle(ofSubject: account.subject)
        )
        await #expect(throws: PasskeyProblem.unknown) {
            try await repository.signIn(claim, at: Self.start) { $0 }
        }
    }

    /// Wherever an instance stops, nobody gets into the account, and the login makes a new one.
    @Test(arguments: 0..<12)
    func stopInBetweenLeavesNoWayIn(_ calls: Int) async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(store)
        let alice = try await repository.enter(AccountFixture.apple())
        let left = Tally()
        store.onCall { (call) async throws(StoreError) in
            if call == .replace, left.next() > calls { throw .unavailable("gone") }
        }
        let isDone = (try? await repository.delete(alice.subject, at: Self.start)) != nil
        store.onCall(nil)
        if calls > 0 {
            let next = try await repository.enter(AccountFixture.apple())
            #expect(next.subject != alice.subject)
            #expect(try await repository.delete(alice.subject, at: Self.start))
            #expect(try await repository.enter(AccountFixture.apple()).subject == next.subject)
        } else {
            #expect(!isDone)
            #expect(try await repository.enter(AccountFixture.apple()).subject == alice.subject)
        }
    }

    /// The backend does not know yet that it has to delete the user.
    @Test func hookGivesNoAccountBackThatIsBeingDeleted() async throws {
        let side = try HookSide()
        side.respond("{\"subject\": \"user-7\"}")
        let repository = AccountFixture.repository(AccountRules(), MemoryStore.still, hook: side.hook())
        let account = try await repository.enter(AccountFixture.google())
        #expect(account.subject == "user-7")
        _ = try await repository.delete("user-7", at: Self.start)
        await #expect(
            throws: AccountProblem.refusedByHook(
                status: 409,
                message: "This account is being deleted: try again later"
            )
        ) { try await repository.enter(AccountFixture.google()) }
    }

    @Test(arguments: ["{}", "{\"v\":2}", "{\"v\":2,\"sub\":\"other\"}", "{\"v\":2,\"sub\":\"u\",\"account\":\"e30\"}"])
    func hostileMarkLetsNobodyIn(_ text: String) async throws {
        let store = MemoryStore.still
        let key = StoreKey(tenant: "chat", kind: "account", hashing: "u".utf8)
        try await store.set(Array(text.utf8), for: key, lifetime: nil)
        await #expect(throws: AccountProblem.self) {
            try await AccountFixture.repository(store).account(ofSubject: "u")
        }
    }

    @Test func markIsReadAsWritten() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.apple())
        guard case .account(let stored) = try await repository.records.find(alice.subject) else {
            Issue.record("no account")
            return
        }
        let full = try #require(DeletedAccount(json: DeletedAccount(stored.record).json))
        #expect(full.identities == [AccountFixture.apple().key])
        #expect(full.emails.count == 1)
        #expect(!full.isBare)
        #expect(DeletedAccount(json: DeletedAccount(subject: "u").json)?.isBare ?? false)
    }

    @Test func forgottenAppleAccountLosesItsPasskeys() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let account = try await repository.enter(AccountFixture.apple())
        let credential = try PretendAuthenticator().registration().credential(PretendAuthenticator.expectation())
        let passkey = AccountPasskey(credential: credential, name: "Key", addedAt: Self.start)
        try await repository.add(passkey, toSubject: account.subject, at: Self.start)
        try await repository.forget(AccountFixture.apple().key, at: Self.start)
        #expect(try await repository.account(ofSubject: account.subject)?.passkeys.isEmpty ?? false)
    }
}
