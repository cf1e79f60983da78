import Store
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct AccountRepositoryTests {
    @Test(arguments: StoreKind.allCases)
    func repeatedSignInFindsSameAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let first = try await AccountFixture.repository(stores.store()).enter(
                AccountFixture.apple(),
                givenName: "Alice"
            )
            #expect(Base64URL.decode(first.subject)?.count == 16)
            let second = try await AccountFixture.repository(stores.store()).enter(
                AccountFixture.apple(),
                after: 1_000_000
            )
            #expect(second == first)
            #expect(second.createdAt == AccountFixture.start)
            let repository = try await AccountFixture.repository(stores.store())
            #expect(try await repository.account(ofSubject: first.subject) == first)
            #expect(try await repository.account(of: AccountFixture.apple().key) == first)
            #expect(try await repository.account(of: AccountFixture.google().key) == nil)
            #expect(try await repository.account(ofSubject: "nobody") == nil)
        }
    }

    @Test func verifiedEmailLinksProvidersIgnoringCase() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let apple = try await repository.enter(AccountFixture.apple(email: "Alice@Example.org"))
        let google = try await repository.enter(AccountFixture.google(email: "aLICE@example.ORG"))
        #expect(google.subject == apple.subject)
        #expect(google.identities == [AccountFixture.apple().key, AccountFixture.google().key])
    }

    @Test(arguments: [
        (AccountFixture.apple(isEmailVerified: false), AccountFixture.google()),
        (AccountFixture.apple(), AccountFixture.google(isEmailVerified: false)),
        (AccountFixture.apple(), AccountFixture.google(email: nil)),
        (AccountFixture.apple(), AccountFixture.google(email: "alice@example.com")),
        (AccountFixture.apple(email: "@example.org"), AccountFixture.google(email: "@example.org")),
        // LATIN SMALL LETTER E WITH ACUTE, and the same in two code points: two mailboxes.
        (AccountFixture.apple(email: "\u{E9}@a.b"), AccountFixture.google(email: "e\u{301}@a.b")),
    ])
    func unverifiedOrDifferentEmailDoesNotLink(_ apple: ProviderIdentity, _ google: ProviderIdentity) async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let first = try await repository.enter(apple)
        #expect(try await repository.enter(google).subject != first.subject)
        #expect(try await repository.enter(apple).subject == first.subject)
    }

    @Test func emailDoesNotLinkWhileLinkingIsOff() async throws {
        let store = MemoryStore.still
        let repository = AccountFixture.repository(AccountRules(), store)
        let apple = try await repository.enter(AccountFixture.apple())
        let google = try await repository.enter(AccountFixture.google())
        #expect(apple.subject != google.subject)
        // Turning linking on does not merge existing accounts.
        let log = RecordedLog()
        let linking = AccountFixture.repository(AccountRules(linkByEmail: true), store, log: log)
        #expect(try await linking.enter(AccountFixture.apple()).subject == apple.subject)
        #expect(try await linking.enter(AccountFixture.google()).subject == google.subject)
        #expect(log.lines.filter { $0.hasPrefix("notice two accounts have one verified e-mail") }.count == 1)
        #expect(!log.lines.joined().contains("alice@"))
    }

    @Test func sameSubjectAtTwoProvidersIsTwoIdentities() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let apple = try await repository.enter(AccountFixture.apple("1", email: nil))
        #expect(try await repository.enter(AccountFixture.google("1", email: nil)).subject != apple.subject)
    }

    @Test func abandonedEmailGivesNoAccessToNextOwner() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.apple())
        let moved = try await repository.enter(AccountFixture.apple(email: "alice@new.example"))
        #expect(moved.subject == alice.subject)
        #expect(moved.email == "alice@new.example")
        let next = try await repository.enter(AccountFixture.google())
        #expect(next.subject != alice.subject)
        // Now it links to the next owner, and the new address to the first.
        #expect(try await repository.enter(AccountFixture.apple("2")).subject == next.subject)
        let joined = try await repository.enter(AccountFixture.google("2", email: "alice@new.example"))
        #expect(joined.subject == alice.subject)
    }

    @Test func noLongerVerifiedEmailDoesNotLink() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.apple())
        let unsure = try await repository.enter(AccountFixture.apple(isEmailVerified: false))
        #expect(unsure.subject == alice.subject)
        #expect(!unsure.isEmailVerified)
        #expect(try await repository.enter(AccountFixture.google()).subject != alice.subject)
    }

    @Test func knownIdentityKeepsAccountWhenEmailBelongsToAnother() async throws {
        let log = RecordedLog()
        let repository = AccountFixture.repository(MemoryStore.still, log: log)
        let alice = try await repository.enter(AccountFixture.apple())
        let bob = try await repository.enter(AccountFixture.google(email: "bob@example.org"))
        let both = try await repository.enter(AccountFixture.google())
        #expect(both.subject == bob.subject)
        #expect(try await repository.enter(AccountFixture.apple()).subject == alice.subject)
        #expect(log.lines.contains { $0.hasPrefix("notice two accounts have one verified e-mail") })
        #expect(try await repository.enter(AccountFixture.google("new")).subject == alice.subject)
    }

    @Test func newestVerifiedEmailIsStored() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        _ = try await repository.enter(AccountFixture.apple())
        _ = try await repository.enter(AccountFixture.google())
        #expect(
            try await repository.enter(AccountFixture.google(email: "alice@work.example")).email == "alice@work.example"
        )
        // Apple keeps reporting the old one, which changes nothing.
        let account = try await repository.enter(AccountFixture.apple())
        #expect(account.email == "alice@work.example")
        #expect(account.isEmailVerified)
        #expect(
            try await repository.enter(AccountFixture.apple(email: "doubtful@a.example", isEmailVerified: false)).email
                == "alice@work.example"
        )
        #expect(try await repository.enter(AccountFixture.apple(email: nil)).email == "alice@work.example")
        let relayed = try await repository.enter(
            AccountFixture.apple(email: "x1@privaterelay.appleid.com", isPrivateEmail: true)
        )
        #expect(relayed.email == "x1@privaterelay.appleid.com")
        #expect(relayed.isPrivateEmail)
    }

    @Test func relayEmailLinksLikeAnyOther() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let relay = "x1@privaterelay.appleid.com"
        let apple = try await repository.enter(AccountFixture.apple(email: relay, isPrivateEmail: true))
        #expect(try await repository.enter(AccountFixture.google(email: relay)).subject == apple.subject)
    }

    @Test func firstNameIsKept() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        #expect(try await repository.enter(AccountFixture.apple(), givenName: " \u{7}\n ").name == nil)
        #expect(try await repository.enter(AccountFixture.apple(), givenName: "Alice A.").name == "Alice A.")
        #expect(try await repository.enter(AccountFixture.google(name: "Someone")).name == "Alice A.")
        #expect(
            try await repository.enter(AccountFixture.apple("2", email: nil, name: "B"), givenName: "C").name == "B"
        )
    }

    @Test func realmIsSharedButNotWithTenantOfSameName() async throws {
        let store = MemoryStore.still
        let riders = AccountFixture.repository(AccountRules(realm: "taxi"), tenant: "riders", store)
        let drivers = AccountFixture.repository(AccountRules(realm: "taxi"), tenant: "drivers", store)
        let stranger = AccountFixture.repository(AccountRules(), tenant: "taxi", store)
        let rider = try await riders.enter(AccountFixture.apple())
        #expect(try await drivers.enter(AccountFixture.apple()) == rider)
        #expect(try await stranger.account(ofSubject: rider.subject) == nil)
        #expect(try await stranger.enter(AccountFixture.apple()).subject != rider.subject)
    }

    /// Other versions must find the records, and keys must not reveal whose they are.
    @Test(arguments: [(nil, "", "chat"), ("taxi", "realm-", "taxi")] as [(String?, String, String)])
    func recordKeysAreHashes(_ realm: String?, _ prefix: String, _ scope: String) async throws {
        let store = MemoryStore.still
        let repository = AccountFixture.repository(AccountRules(realm: realm, linkByEmail: true), store)
        let account = try await repository.enter(AccountFixture.apple(email: "Alice@example.org"))
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

    @Test func checkCreatesNothing() async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(AccountRules(role: "driver", linkByEmail: true), store)
        store.fail([.set, .replace, .remove])
        try await repository.check(AccountFixture.apple())
        #expect(try await repository.account(of: AccountFixture.apple().key) == nil)
    }

    @Test(arguments: [
        ("driver", "This account is registered as a driver"), ("admin", "This account is registered as an admin"),
        ("Editor", "This account is registered as an Editor"),
    ])
    func otherRoleIsRefusedByIdentityAndByEmail(_ role: String, _ message: String) async throws {
        let store = MemoryStore.still
        let first = AccountFixture.repository(
            AccountRules(realm: "taxi", role: role, linkByEmail: true),
            tenant: "a",
            store
        )
        let second = AccountFixture.repository(
            AccountRules(realm: "taxi", role: "rider", linkByEmail: true),
            tenant: "b",
            store
        )
        let account = try await first.enter(AccountFixture.apple())
        #expect(account.role == role)
        guard case .response(let response) = AccountProblem.otherRole(role).result else {
            throw Unexpected(what: "no response for apps")
        }
        #expect(response.status == 409 && response.text == "{\"error\":\"\(message)\"}")
        for identity in [AccountFixture.apple(), AccountFixture.google()] {
            await #expect(throws: AccountProblem.otherRole(role)) { try await second.enter(identity) }
            await #expect(throws: AccountProblem.otherRole(role)) { try await second.check(identity) }
            try await first.check(identity)
        }
        #expect(try await first.account(of: AccountFixture.google().key) == nil)
        #expect(try await first.account(ofSubject: account.subject) == account)
        try await second.check(AccountFixture.google(email: "other@example.org"))
    }

    @Test func accountWithoutRoleTakesFirstRole() async throws {
        let store = MemoryStore.still
        let open = AccountFixture.repository(AccountRules(realm: "taxi"), tenant: "a", store)
        let drivers = AccountFixture.repository(AccountRules(realm: "taxi", role: "driver"), tenant: "b", store)
        let account = try await open.enter(AccountFixture.apple())
        #expect(account.role == nil)
        #expect(try await drivers.enter(AccountFixture.apple()).role == "driver")
        #expect(try await open.enter(AccountFixture.apple()).role == "driver")
        try await open.check(AccountFixture.apple())
    }
}
