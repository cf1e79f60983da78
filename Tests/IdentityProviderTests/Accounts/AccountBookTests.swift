import Store
import Tenants
import TestSupport
import Testing
import Verification

@testable import IdentityProvider

struct AccountBookTests {
    @Test(arguments: StoreKind.allCases)
    func whoSignsInAgainIsTheSame(_ kind: StoreKind) async throws {
        try await kind.run { place in
            let first = try await AccountDesk.book(place.store()).enter(AccountDesk.apple(), givenName: "Alice")
            #expect(Base64URL.decode(first.subject)?.count == 16)
            let second = try await AccountDesk.book(place.store()).enter(AccountDesk.apple(), after: 1_000_000)
            #expect(second == first)
            #expect(second.createdAt == AccountDesk.start)
            let book = try await AccountDesk.book(place.store())
            #expect(try await book.account(ofSubject: first.subject) == first)
            #expect(try await book.account(of: AccountDesk.apple().key) == first)
            #expect(try await book.account(of: AccountDesk.google().key) == nil)
            #expect(try await book.account(ofSubject: "nobody") == nil)
        }
    }

    @Test func aVerifiedEmailJoinsProvidersWhateverItsCase() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let apple = try await book.enter(AccountDesk.apple(email: "Alice@Example.org"))
        let google = try await book.enter(AccountDesk.google(email: "aLICE@example.ORG"))
        #expect(google.subject == apple.subject)
        #expect(google.identities == [AccountDesk.apple().key, AccountDesk.google().key])
    }

    @Test(arguments: [
        (AccountDesk.apple(isEmailVerified: false), AccountDesk.google()),
        (AccountDesk.apple(), AccountDesk.google(isEmailVerified: false)),
        (AccountDesk.apple(), AccountDesk.google(email: nil)),
        (AccountDesk.apple(), AccountDesk.google(email: "alice@example.com")),
        (AccountDesk.apple(email: "@example.org"), AccountDesk.google(email: "@example.org")),
        // LATIN SMALL LETTER E WITH ACUTE, and the same in two code points: two mailboxes.
        (AccountDesk.apple(email: "\u{E9}@a.b"), AccountDesk.google(email: "e\u{301}@a.b")),
    ])
    func nothingElseJoinsThem(_ apple: ProviderIdentity, _ google: ProviderIdentity) async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let first = try await book.enter(apple)
        #expect(try await book.enter(google).subject != first.subject)
        #expect(try await book.enter(apple).subject == first.subject)
    }

    @Test func withoutLinkingAnEmailJoinsNobody() async throws {
        let store = MemoryStore.still
        let book = AccountDesk.book(AccountRules(), store)
        let apple = try await book.enter(AccountDesk.apple())
        let google = try await book.enter(AccountDesk.google())
        #expect(apple.subject != google.subject)
        // Nor does it merge what was made so when linking is switched on.
        let log = RecordedLog()
        let linking = AccountDesk.book(AccountRules(linkByEmail: true), store, log: log)
        #expect(try await linking.enter(AccountDesk.apple()).subject == apple.subject)
        #expect(try await linking.enter(AccountDesk.google()).subject == google.subject)
        #expect(log.lines.filter { $0.hasPrefix("notice two accounts have one verified e-mail") }.count == 1)
        #expect(!log.lines.joined().contains("alice@"))
    }

    @Test func subjectsOfTwoProvidersAreTwoIdentities() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let apple = try await book.enter(AccountDesk.apple("1", email: nil))
        #expect(try await book.enter(AccountDesk.google("1", email: nil)).subject != apple.subject)
    }

    @Test func anAddressThatWasGivenUpLetsItsNextOwnerNotIn() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let alice = try await book.enter(AccountDesk.apple())
        let moved = try await book.enter(AccountDesk.apple(email: "alice@new.example"))
        #expect(moved.subject == alice.subject)
        #expect(moved.email == "alice@new.example")
        let next = try await book.enter(AccountDesk.google())
        #expect(next.subject != alice.subject)
        // From then on it is the next owner's, and the new address joins the first one's.
        #expect(try await book.enter(AccountDesk.apple("2")).subject == next.subject)
        let joined = try await book.enter(AccountDesk.google("2", email: "alice@new.example"))
        #expect(joined.subject == alice.subject)
    }

    @Test func anAddressThatIsNotVerifiedAnyMoreJoinsNobody() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let alice = try await book.enter(AccountDesk.apple())
        let unsure = try await book.enter(AccountDesk.apple(isEmailVerified: false))
        #expect(unsure.subject == alice.subject)
        #expect(!unsure.isEmailVerified)
        #expect(try await book.enter(AccountDesk.google()).subject != alice.subject)
    }

    @Test func aKnownIdentityStaysWhereItIsWhoeverHasItsEmail() async throws {
        let log = RecordedLog()
        let book = AccountDesk.book(MemoryStore.still, log: log)
        let alice = try await book.enter(AccountDesk.apple())
        let bob = try await book.enter(AccountDesk.google(email: "bob@example.org"))
        let both = try await book.enter(AccountDesk.google())
        #expect(both.subject == bob.subject)
        #expect(try await book.enter(AccountDesk.apple()).subject == alice.subject)
        #expect(log.lines.contains { $0.hasPrefix("notice two accounts have one verified e-mail") })
        #expect(try await book.enter(AccountDesk.google("new")).subject == alice.subject)
    }

    @Test func theNewestVerifiedEmailIsKept() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        _ = try await book.enter(AccountDesk.apple())
        _ = try await book.enter(AccountDesk.google())
        #expect(try await book.enter(AccountDesk.google(email: "alice@work.example")).email == "alice@work.example")
        // Apple goes on saying the other one, which is no news.
        let account = try await book.enter(AccountDesk.apple())
        #expect(account.email == "alice@work.example")
        #expect(account.isEmailVerified)
        #expect(
            try await book.enter(AccountDesk.apple(email: "doubtful@a.example", isEmailVerified: false)).email
                == "alice@work.example"
        )
        #expect(try await book.enter(AccountDesk.apple(email: nil)).email == "alice@work.example")
        let relayed = try await book.enter(
            AccountDesk.apple(email: "x1@privaterelay.appleid.com", isPrivateEmail: true)
        )
        #expect(relayed.email == "x1@privaterelay.appleid.com")
        #expect(relayed.isPrivateEmail)
    }

    @Test func aRelayAddressJoinsAsAnyOther() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        let relay = "x1@privaterelay.appleid.com"
        let apple = try await book.enter(AccountDesk.apple(email: relay, isPrivateEmail: true))
        #expect(try await book.enter(AccountDesk.google(email: relay)).subject == apple.subject)
    }

    @Test func aNameIsTakenOnce() async throws {
        let book = AccountDesk.book(MemoryStore.still)
        #expect(try await book.enter(AccountDesk.apple(), givenName: " \u{7}\n ").name == nil)
        #expect(try await book.enter(AccountDesk.apple(), givenName: "Alice A.").name == "Alice A.")
        #expect(try await book.enter(AccountDesk.google(name: "Someone")).name == "Alice A.")
        #expect(try await book.enter(AccountDesk.apple("2", email: nil, name: "B"), givenName: "C").name == "B")
    }

    @Test func aRealmIsSharedAndATenantOfItsNameIsNot() async throws {
        let store = MemoryStore.still
        let riders = AccountDesk.book(AccountRules(realm: "taxi"), tenant: "riders", store)
        let drivers = AccountDesk.book(AccountRules(realm: "taxi"), tenant: "drivers", store)
        let stranger = AccountDesk.book(AccountRules(), tenant: "taxi", store)
        let rider = try await riders.enter(AccountDesk.apple())
        #expect(try await drivers.enter(AccountDesk.apple()) == rider)
        #expect(try await stranger.account(ofSubject: rider.subject) == nil)
        #expect(try await stranger.enter(AccountDesk.apple()).subject != rider.subject)
    }

    /// Another gateway's version has to find them, and nobody to read in a key whose they are.
    @Test(arguments: [(nil, "", "chat"), ("taxi", "realm-", "taxi")] as [(String?, String, String)])
    func recordsAreUnderHashes(_ realm: String?, _ prefix: String, _ scope: String) async throws {
        let store = MemoryStore.still
        let book = AccountDesk.book(AccountRules(realm: realm, linkByEmail: true), store)
        let account = try await book.enter(AccountDesk.apple(email: "Alice@example.org"))
        let names = [
            ("account", account.subject), ("account-identity", "apple\u{0}001234.ab"),
            ("account-email", "alice@example.org"),
        ]
        for (kind, name) in names {
            let key = StoreKey(tenant: scope, kind: prefix + kind, hashing: name.utf8)
            let value = try await store.value(for: key)
            let bytes = try #require(value, "\(kind)")
            #expect(try JSONParser.parse(bytes).object?["sub"]?.string == account.subject)
        }
    }

    @Test func aCheckMakesNothing() async throws {
        let store = WatchedStore()
        let book = AccountDesk.book(AccountRules(role: "driver", linkByEmail: true), store)
        store.fail([.set, .replace, .remove])
        try await book.check(AccountDesk.apple())
        #expect(try await book.account(of: AccountDesk.apple().key) == nil)
    }

    @Test(arguments: [
        ("driver", "This account is registered as a driver"), ("admin", "This account is registered as an admin"),
        ("Editor", "This account is registered as an Editor"),
    ])
    func anotherRoleIsRefusedByIdentityAndByEmail(_ role: String, _ message: String) async throws {
        let store = MemoryStore.still
        let first = AccountDesk.book(AccountRules(realm: "taxi", role: role, linkByEmail: true), tenant: "a", store)
        let second = AccountDesk.book(AccountRules(realm: "taxi", role: "rider", linkByEmail: true), tenant: "b", store)
        let account = try await first.enter(AccountDesk.apple())
        #expect(account.role == role)
        for identity in [AccountDesk.apple(), AccountDesk.google()] {
            await #expect(throws: AccountProblem.otherRole(message)) { try await second.enter(identity) }
            await #expect(throws: AccountProblem.otherRole(message)) { try await second.check(identity) }
            try await first.check(identity)
        }
        #expect(try await first.account(of: AccountDesk.google().key) == nil)
        #expect(try await first.account(ofSubject: account.subject) == account)
        try await second.check(AccountDesk.google(email: "other@example.org"))
    }

    @Test func anAccountWithoutARoleGetsOneAndNoRoleChecksNone() async throws {
        let store = MemoryStore.still
        let open = AccountDesk.book(AccountRules(realm: "taxi"), tenant: "a", store)
        let drivers = AccountDesk.book(AccountRules(realm: "taxi", role: "driver"), tenant: "b", store)
        let account = try await open.enter(AccountDesk.apple())
        #expect(account.role == nil)
        #expect(try await drivers.enter(AccountDesk.apple()).role == "driver")
        #expect(try await open.enter(AccountDesk.apple()).role == "driver")
        try await open.check(AccountDesk.apple())
    }
}
