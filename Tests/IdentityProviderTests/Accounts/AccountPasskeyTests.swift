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
        let refused = PasskeyProblem.account(.otherRole("This account is registered as a driver"))
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
                countsPasskeys: true,
                at: Self.start
            )
        }
    }

    @Test func lastWayInStays() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let account = try await repository.enter(AccountFixture.google())
        let authenticator = try PretendAuthenticator()
        func unlink(countsPasskeys: Bool) async throws(AccountChangeProblem) {
            try await repository.unlink(
                AccountFixture.google().key,
                ofSubject: account.subject,
                countsPasskeys: countsPasskeys,
                at: Self.start
            )
        }
        await #expect(throws: AccountChangeProblem.lastWayIn) { try await unlink(countsPasskeys: true) }
        try await repository.add(Self.passkey(authenticator), toSubject: account.subject, at: Self.start)
        // Passkeys that are switched off let nobody in.
        await #expect(throws: AccountChangeProblem.lastWayIn) { try await unlink(countsPasskeys: false) }
        try await unlink(countsPasskeys: true)
        await #expect(throws: AccountChangeProblem.lastWayIn) {
            try await repository.removePasskey(authenticator.id, ofSubject: account.subject)
        }
        #expect(try await Self.signIn(repository, authenticator, account).identities.isEmpty)
        #expect(try await repository.enter(AccountFixture.google()).subject != account.subject)
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
