import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Passkeys in accounts, and the ways into them.
struct AccountPasskeyTests {
    private static let start = AccountFixture.start

    private static func passkey(_ authenticator: PretendAuthenticator) throws -> AccountPasskey {
        let credential = try authenticator.registration().credential(PretendAuthenticator.expectation())
        return AccountPasskey(credential: credential, name: "Key", addedAt: start)
    }

    private static func claim(_ authenticator: PretendAuthenticator, _ account: Account) -> PasskeyClaim {
        PasskeyClaim(id: authenticator.id, userHandle: AccountPasskey.userHandle(ofSubject: account.subject))
    }

    private static func signIn(
        _ repository: AccountRepository,
        _ authenticator: PretendAuthenticator,
        _ account: Account
    ) async throws(PasskeyProblem) -> Account {
        try await repository.signIn(claim(authenticator, account), at: start) { credential throws(PasskeyFailure) in
            try authenticator.assertion().verify(credential, PretendAuthenticator.expectation())
        }.account
    }

    @Test(arguments: StoreKind.allCases)
    func passkeySignsInOnEveryStoreAndInstance(_ kind: StoreKind) async throws {
        try await kind.run { fixture in
            let one = AccountFixture.repository(try await fixture.store())
            let other = AccountFixture.repository(try await fixture.store())
            let account = try await one.enter(AccountFixture.google())
            var authenticator = try PretendAuthenticator()
            try await one.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
            authenticator.count = 3
            #expect(try await Self.signIn(other, authenticator, account).subject == account.subject)
            // The count that one instance has seen holds on the other.
            await #expect(throws: PasskeyProblem.refused(.counterWentBack, subject: account.subject)) {
                try await Self.signIn(one, authenticator, account)
            }
            try await other.removePasskey(authenticator.id, ofSubject: account.subject)
            await #expect(throws: PasskeyProblem.unknown) { try await Self.signIn(one, authenticator, account) }
        }
    }

    @Test func passkeyIsOfOneAccountOfTheRealm() async throws {
        let store = MemoryStore.still
        let repository = AccountFixture.repository(store)
        let alice = try await repository.enter(AccountFixture.google("a", email: nil))
        let bob = try await repository.enter(AccountFixture.google("b", email: nil))
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: alice.subject, at: Self.start)
        for subject in [alice.subject, bob.subject] {
            await #expect(throws: AccountChangeProblem.passkeyTaken) {
                try await repository.add(Self.passkey(authenticator), toSubject: subject, at: Self.start)
            }
        }
        #expect(try await repository.account(ofSubject: bob.subject)?.passkeys.isEmpty == true)
        // Another tenant without the realm does not know it.
        let elsewhere = AccountFixture.repository(AccountRules(), tenant: "shop", store)
        await #expect(throws: PasskeyProblem.unknown) { try await Self.signIn(elsewhere, authenticator, alice) }
    }

    @Test func passkeyIsKeptBesideWhatProvidersReport() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let account = try await repository.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        let again = try await repository.enter(AccountFixture.google(email: "new@example.org"))
        #expect(again.passkeys == [try Self.passkey(authenticator)])
    }

    @Test func roleHoldsForPasskeys() async throws {
        let store = MemoryStore.still
        let drivers = AccountFixture.repository(AccountRules(realm: "taxi", role: "driver"), store)
        let riders = AccountFixture.repository(AccountRules(realm: "taxi", role: "rider"), tenant: "riders", store)
        let account = try await drivers.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        try await drivers.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        let refused = PasskeyProblem.account(.otherRole("driver"))
        await #expect(throws: refused) { try await Self.signIn(riders, authenticator, account) }
        #expect(try await Self.signIn(drivers, authenticator, account).role == "driver")
    }

    /// A tenant's providers say whom it lets in, whatever another tenant of the realm has.
    @Test func passkeyNeedsLoginAtOneOfTheTenantsOwnProviders() async throws {
        let store = MemoryStore.still
        let rules = AccountRules(realm: "acme")
        let shop = AccountFixture.repository(rules, store, providers: [.google])
        let staff = AccountFixture.repository(rules, tenant: "staff", store, providers: [.named("company")])
        let account = try await shop.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        try await shop.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        #expect(try await Self.signIn(shop, authenticator, account).subject == account.subject)
        await #expect(throws: PasskeyProblem.account(.notAllowed)) {
            try await Self.signIn(staff, authenticator, account)
        }
    }

    @Test func passkeyGivesNoFirstRole() async throws {
        let store = MemoryStore.still
        let shop = AccountFixture.repository(AccountRules(realm: "acme"), store)
        let staff = AccountFixture.repository(AccountRules(realm: "acme", role: "employee"), tenant: "staff", store)
        let account = try await shop.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        try await shop.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        await #expect(throws: PasskeyProblem.account(.notAllowed)) {
            try await Self.signIn(staff, authenticator, account)
        }
        #expect(try await shop.account(ofSubject: account.subject)?.role == nil)
    }

    @Test func hookDecidesOnPasskeys() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1","role":"owner"}"#)
        let repository = AccountFixture.repository(AccountRules(), MemoryStore.still, hook: side.hook())
        let account = try await repository.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        side.respond(#"{"subject":"u-1","role":"guest","claims":{"team":"b"}}"#)
        let signedIn = try await Self.signIn(repository, authenticator, account)
        #expect(signedIn.role == "guest" && signedIn.claims == ["team": "b"])
        #expect(side.accepted.last?["provider"] == "google" && side.accepted.last?["email"] == "alice@example.org")
        side.respond(#"{"error":"You have left"}"#, status: 403)
        await #expect(throws: PasskeyProblem.account(.refusedByHook(status: 403, message: "You have left"))) {
            try await Self.signIn(repository, authenticator, account)
        }
        // Somebody else's by now.
        side.respond(#"{"subject":"u-2"}"#)
        await #expect(throws: PasskeyProblem.self) { try await Self.signIn(repository, authenticator, account) }
        await #expect(throws: AccountChangeProblem.decidedElsewhere) {
            try await repository.unlink(
                AccountFixture.google().key,
                ofSubject: account.subject,
                at: Self.start
            )
        }
    }

    /// The hook may know the account by another login than the first.
    @Test func hookGetsAllLoginsOfAPasskeysOwner() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let repository = AccountFixture.repository(AccountRules(), MemoryStore.still, hook: side.hook())
        let account = try await repository.enter(AccountFixture.google())
        _ = try await repository.enter(AccountFixture.apple())
        #expect(side.accepted.allSatisfy { $0["logins"] == nil && $0["method"] == nil })
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        _ = try await Self.signIn(repository, authenticator, account)
        #expect(
            side.accepted.last?["logins"] == [
                ["provider": "google", "subject": "1098765"], ["provider": "apple", "subject": "001234.ab"],
            ]
        )
    }

    /// Only a provider says whether somebody is still one of those whom it lets in.
    @Test func passkeyNeedsRecentWordOfProvider() async throws {
        let store = MemoryStore.still
        let day = Duration.seconds(86_400)
        let rules = AccountRules()
        let repository = AccountFixture.repository(rules, store, providers: [.google], confirmation: day)
        let account = try await repository.enter(AccountFixture.google(), after: -86_400)
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        await #expect(throws: PasskeyProblem.account(.notAllowed)) {
            try await Self.signIn(repository, authenticator, account)
        }
        _ = try await repository.enter(AccountFixture.google(), after: -86_399)
        #expect(try await Self.signIn(repository, authenticator, account).subject == account.subject)
    }

    /// Without a login of a provider a passkey lets nobody in, and so it is no way in of its own.
    @Test func lastLoginStaysBesidePasskey() async throws {
        let repository = AccountFixture.repository(
            AccountRules(linkByEmail: true),
            MemoryStore.still,
            providers: [.google]
        )
        let account = try await repository.enter(AccountFixture.google())
        // Of a provider that another tenant of the realm has.
        _ = try await repository.enter(AccountFixture.apple())
        let authenticator = try PretendAuthenticator()
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        await #expect(throws: AccountChangeProblem.lastWayIn) {
            try await Self.unlink(AccountFixture.google(), account, repository)
        }
        try await Self.unlink(AccountFixture.apple(), account, repository)
        #expect(try await Self.signIn(repository, authenticator, account).identities.count == 1)
        try await repository.removePasskey(authenticator.id, ofSubject: account.subject)
        #expect(try await repository.enter(AccountFixture.google()).subject == account.subject)
    }

    private static func unlink(
        _ identity: ProviderIdentity,
        _ account: Account,
        _ repository: AccountRepository
    ) async throws(AccountChangeProblem) {
        try await repository.unlink(identity.key, ofSubject: account.subject, at: start)
    }

    @Test func ofTwoLoginsUnlinkedAtOnceOneStays() async throws {
        for _ in 0..<20 {
            let repository = AccountFixture.repository(MemoryStore.still)
            let account = try await repository.enter(AccountFixture.google())
            _ = try await repository.enter(AccountFixture.apple())
            let identities = [AccountFixture.google(), AccountFixture.apple()]
            let unlinked = await withTaskGroup(of: Bool.self) { group in
                for identity in identities {
                    group.addTask { (try? await Self.unlink(identity, account, repository)) != nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(unlinked == 1)
            var subjects: [String] = []
            for identity in identities { subjects.append(try await repository.enter(identity).subject) }
            #expect(subjects.filter { $0 == account.subject }.count == 1)
        }
    }

    /// An unlinking that crashed in between has led the login away, but it is still listed.
    @Test func loginThatLeadsElsewhereIsNoWayIn() async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(store)
        let account = try await repository.enter(AccountFixture.google())
        _ = try await repository.enter(AccountFixture.apple())
        let replacements = Tally()
        store.onCall { (call) async throws(StoreError) in
            guard call == .replace else { return }
            replacements.add(1)
            if replacements.value > 1 { throw .unavailable("gone") }
        }
        await #expect(throws: AccountChangeProblem.self) {
            try await Self.unlink(AccountFixture.google(), account, repository)
        }
        store.onCall(nil)
        await #expect(throws: AccountChangeProblem.lastWayIn) {
            try await Self.unlink(AccountFixture.apple(), account, repository)
        }
        // Once more, and it is complete.
        try await Self.unlink(AccountFixture.google(), account, repository)
        #expect(try await repository.account(ofSubject: account.subject)?.identities.map(\.provider) == [.apple])
    }

    /// What a sign-in enters after the unlinking would be a way in that nobody can take away.
    @Test func signInDuringUnlinkingGetsItsOwnAccount() async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(AccountRules(), store)
        let account = try await AccountFixture.repository(store).enter(AccountFixture.google())
        _ = try await AccountFixture.repository(store).enter(AccountFixture.apple())
        let isFirst = Tally()
        store.onCall { (call) async throws(StoreError) in
            // The sign-in has read where the login leads to, and is about to read that account.
            guard call == .value else { return }
            isFirst.add(1)
            guard isFirst.value == 2 else { return }
            try? await Self.unlink(AccountFixture.google(), account, AccountFixture.repository(store.memory))
        }
        let signedIn = try await repository.enter(AccountFixture.google())
        #expect(signedIn.subject != account.subject)
        #expect(try await repository.account(ofSubject: account.subject)?.identities.map(\.provider) == [.apple])
    }

    /// Of two that add the same passkey at once, one gets it.
    @Test func passkeyAddedTwiceAtOnceIsOfOneAccount() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let alice = try await repository.enter(AccountFixture.google("a", email: nil))
        let bob = try await repository.enter(AccountFixture.google("b", email: nil))
        let passkey = try Self.passkey(try PretendAuthenticator())
        let added = await withTaskGroup(of: Bool.self) { group in
            for subject in [alice.subject, bob.subject] {
                group.addTask {
                    (try? await repository.add(passkey, toSubject: subject, at: Self.start)) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(added == 1)
        var owners = 0
        for subject in [alice.subject, bob.subject] {
            owners += try await repository.account(ofSubject: subject)?.passkeys.count ?? 0
        }
        #expect(owners == 1)
    }
}
