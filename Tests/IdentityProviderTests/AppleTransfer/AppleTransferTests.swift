import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// An app moves to another Apple team, and its users with it.
struct AppleTransferTests {
    private static let recipient = PretendAppleTransfer.newTeam

    private let apple = PretendAppleTransfer()

    private func people(_ repository: AccountRepository, _ count: Int) async throws -> [String] {
        var subjects: [String] = []
        for index in 0..<count {
            let identity = AccountFixture.apple("u\(index)", email: "u\(index)@example.org")
            subjects.append(try await repository.enter(identity).subject)
        }
        return subjects
    }

    private func run(
        _ step: AppleTransferRun.Step,
        _ repository: AccountRepository,
        isDryRun: Bool = false,
        atOnce: Int = 4
    ) async throws -> AppleTransferCounts {
        let team = step == .after ? Self.recipient : PretendAppleTransfer.oldTeam
        let client = isDryRun ? nil : try apple.client(team)
        return try await AppleTransferRun(step, of: repository, client: client, atOnce: atOnce).run()
    }

    private func counts(_ accounts: Int, done: Int = 0, earlier: Int = 0) -> AppleTransferCounts {
        var counts = AppleTransferCounts()
        counts.accounts = accounts
        counts.logins = accounts
        counts.done = done
        counts.earlier = earlier
        return counts
    }

    /// What was unlinked before the move, or by the time of it, is led to nobody's account.
    @Test(arguments: [false, true])
    func unlinkedLoginDoesNotGetBackInByTheMove(isMoved: Bool) async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let former = AccountFixture.apple("u0")
        let account = try await repository.enter(former)
        _ = try await repository.enter(AccountFixture.google())
        #expect(try await run(.before(recipient: Self.recipient), repository).done == 1)
        if isMoved { #expect(try await run(.after, repository).done == 1) }
        let current = try #require(
            try await repository.account(ofSubject: account.subject)?.identities.first { $0.provider == .apple }
        )
        let transferSubject = try #require(await repository.records.transferSubject(of: account.subject))
        try await repository.unlink(current, ofSubject: account.subject, at: AccountFixture.start)
        var moved = AccountFixture.apple("new-u0", email: nil)
        moved.transferSubject = transferSubject
        #expect(try await repository.enter(moved).subject != account.subject)
        #expect(try await repository.enter(AccountFixture.apple("u0", email: nil)).subject != account.subject)
        let left = try #require(try await repository.account(ofSubject: account.subject))
        #expect(left.identities.map(\.provider) == [.google])
    }

    /// Its owner unlinks it while the run has the page of accounts in hand.
    @Test func loginThatGoesDuringTheRunIsNotPutBack() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let former = AccountFixture.apple("u0")
        let account = try await repository.enter(former)
        _ = try await repository.enter(AccountFixture.google())
        let transfer = AppleTransfer(team: Self.recipient, subject: "t-0")
        func keep() async throws -> Bool {
            try await repository.keep(
                transfer,
                of: former.key,
                ofSubject: account.subject,
                at: AccountFixture.start
            )
        }
        #expect(try await keep())
        try await repository.unlink(former.key, ofSubject: account.subject, at: AccountFixture.start)
        #expect(try await !keep())
        let moved = AccountFixture.apple("new-u0", email: nil)
        let outcome = try await repository.move(
            transfer,
            to: moved,
            ofSubject: account.subject,
            at: AccountFixture.start
        )
        #expect(outcome == .loginGone)
        #expect(try await repository.account(of: moved.key) == nil)
        #expect(try await repository.enter(moved).subject != account.subject)
    }

    /// The mark of one that was deleted is no account that a newer version has written.
    @Test func deletedAccountsAreNotUnreadable() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let account = try await repository.enter(AccountFixture.apple("u0"))
        _ = try await repository.delete(account.subject, at: AccountFixture.start)
        #expect(try await run(.before(recipient: Self.recipient), repository) == counts(0))
    }

    @Test(arguments: StoreKind.allCases)
    func everybodyKeepsTheirAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let repository = AccountFixture.repository(try await stores.store())
            let subjects = try await people(repository, 7)
            #expect(try await run(.before(recipient: Self.recipient), repository) == counts(7, done: 7))
            let other = AccountFixture.repository(try await stores.store())
            #expect(try await run(.after, other) == counts(7, done: 7))
            for (index, subject) in subjects.enumerated() {
                let account = try #require(try await repository.account(ofSubject: subject))
                #expect(account.identities.map(\.subject) == ["new-u\(index)"])
                #expect(account.email == "new-u\(index)@privaterelay.appleid.com" && account.isPrivateEmail)
                #expect(account.isEmailVerified)
                #expect(try await repository.enter(AccountFixture.apple("new-u\(index)")).subject == subject)
                // A token from before the move.
                let late = try await repository.enter(AccountFixture.apple("u\(index)"))
                #expect(late.subject == subject && late.identities.map(\.subject) == ["new-u\(index)"])
            }
        }
    }

    @Test func repeatedRunsAskAppleNothing() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        _ = try await people(repository, 3)
        _ = try await run(.before(recipient: Self.recipient), repository)
        #expect(try await run(.before(recipient: Self.recipient), repository) == counts(3, earlier: 3))
        #expect(apple.asked == 3)
        _ = try await run(.after, repository)
        #expect(try await run(.after, repository) == counts(3, earlier: 3))
        #expect(apple.asked == 6)
        // The app moves on.
        #expect(try await run(.before(recipient: "C1C1C1C1C1"), repository) == counts(3, done: 3))
    }

    @Test func dryRunAsksNothingAndChangesNothing() async throws {
        let store = WatchedStore()
        let repository = AccountFixture.repository(store)
        _ = try await people(repository, 3)
        store.fail([.replace, .set, .remove])
        #expect(try await run(.before(recipient: Self.recipient), repository, isDryRun: true) == counts(3, done: 3))
        store.onCall(nil)
        _ = try await run(.before(recipient: Self.recipient), repository)
        store.fail([.replace, .set, .remove])
        #expect(try await run(.after, repository, isDryRun: true) == counts(3, done: 3))
        #expect(apple.asked == 3)
    }

    @Test func runGoesOnWhereTheStoreFailed() async throws {
        for (step, first) in [(AppleTransferRun.Step.before(recipient: Self.recipient), false), (.after, true)] {
            for call in 1...60 {
                let store = WatchedStore()
                let repository = AccountFixture.repository(store)
                let subjects = try await people(repository, 3)
                if first { _ = try await run(.before(recipient: Self.recipient), repository) }
                let tally = Tally()
                store.onCall { (_) async throws(StoreError) in
                    if tally.next() >= call { throw .unavailable("killed") }
                }
                let whole = try? await run(step, repository, atOnce: 1)
                store.onCall(nil)
                let again = try await run(step, repository)
                #expect(again.isComplete && again.done + again.earlier == 3, "killed before \(call)")
                if !first { _ = try await run(.after, repository) }
                for (index, subject) in subjects.enumerated() {
                    #expect(try await repository.enter(AccountFixture.apple("new-u\(index)")).subject == subject)
                }
                if whole != nil { break }
                #expect(call < 60)
            }
        }
    }

    @Test func someLoginsAreNotTakenAlong() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let subjects = try await people(repository, 4)
        apple.forget("u0")
        let before = try await run(.before(recipient: Self.recipient), repository)
        #expect(before.done == 3 && before.refused == 1 && before.named == [subjects[0]])
        // Somebody signs in after the move without a transfer identifier, and has an account of their own.
        let own = try await repository.enter(AccountFixture.apple("new-u1", email: nil))
        #expect(own.subject != subjects[1])
        let after = try await run(.after, repository)
        #expect(after.done == 2 && after.taken == 1 && !after.isComplete)
        // The one that Apple did not know, and the one that began anew.
        #expect(after.missing == 2)
        #expect(try await repository.enter(AccountFixture.apple("new-u1", email: nil)).subject == own.subject)
    }

    @Test func progressIsOfPagesThatChangeTheCounts() async throws {
        let store = MemoryStore.still
        let repository = AccountFixture.repository(store)
        let none = Mutex<[AppleTransferCounts]>([])
        _ = try await AppleTransferRun(.after, of: repository, client: nil, atOnce: 1)
            .run { counts in none.withLock { $0.append(counts) } }
        #expect(none.withLock { $0 }.isEmpty)
        _ = try await people(repository, 250)
        let some = Mutex<[AppleTransferCounts]>([])
        let counts = try await AppleTransferRun(.after, of: repository, client: nil, atOnce: 1)
            .run { counts in some.withLock { $0.append(counts) } }
        let reported = some.withLock { $0 }
        #expect(reported.count > 1 && reported.last == counts && counts.accounts == 250)
        #expect(Set(reported.map(\.accounts)).count == reported.count)
    }

    @Test func otherLoginsAndAccountsWithoutAppleAreLeftAlone() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        _ = try await people(repository, 1)
        let google = try await repository.enter(AccountFixture.google("g", email: "u0@example.org"))
        _ = try await repository.enter(AccountFixture.google("h", email: nil))
        let elsewhere = AccountFixture.repository(AccountRules(), tenant: "shop", MemoryStore.still)
        #expect(try await run(.before(recipient: Self.recipient), elsewhere) == AppleTransferCounts())
        let counts = try await run(.before(recipient: Self.recipient), repository)
        #expect(counts.accounts == 2 && counts.logins == 1 && counts.done == 1)
        _ = try await run(.after, repository)
        let account = try await repository.account(ofSubject: google.subject)
        #expect(account?.identities.map(\.subject) == ["new-u0", "g"])
        #expect(account?.passkeys.isEmpty == true)
    }

    // MARK: Sign-ins after the move

    private func moved(_ subject: String, _ transfer: String?) -> ProviderIdentity {
        ProviderIdentity(
            provider: .apple,
            subject: subject,
            email: "x@privaterelay.appleid.com",
            isEmailVerified: true,
            isPrivateEmail: true,
            transferSubject: transfer
        )
    }

    @Test func firstSignInAfterTheMoveFindsTheAccount() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let subject = try await people(repository, 2)[0]
        _ = try await run(.before(recipient: Self.recipient), repository)
        let account = try await repository.enter(moved("new-u0", "\(Self.recipient)-u0"))
        #expect(account.subject == subject && account.identities.map(\.subject) == ["new-u0"])
        #expect(account.email == "x@privaterelay.appleid.com")
        // Afterwards the identifier is not needed.
        #expect(try await repository.enter(moved("new-u0", nil)).subject == subject)
        #expect(try await run(.after, repository) == counts(2, done: 1, earlier: 1))
    }

    @Test func unknownTransferIdentifierIsANewAccount() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let subjects = try await people(repository, 1)
        let account = try await repository.enter(moved("new-u0", "\(Self.recipient)-u0"))
        #expect(!subjects.contains(account.subject))
    }

    /// A known identity keeps its account, whatever else its token says.
    @Test func transferIdentifierMovesNoKnownIdentity() async throws {
        let repository = AccountFixture.repository(MemoryStore.still)
        let subjects = try await people(repository, 2)
        _ = try await run(.before(recipient: Self.recipient), repository)
        #expect(try await repository.enter(moved("u1", "\(Self.recipient)-u0")).subject == subjects[1])
        #expect(try await repository.account(ofSubject: subjects[0])?.identities.map(\.subject) == ["u0"])
    }

    @Test func roleHoldsForThoseWhoMoved() async throws {
        let store = MemoryStore.still
        let drivers = AccountFixture.repository(AccountRules(realm: "taxi", role: "driver"), store)
        _ = try await people(drivers, 1)
        _ = try await run(.before(recipient: Self.recipient), drivers)
        let riders = AccountFixture.repository(AccountRules(realm: "taxi", role: "rider"), tenant: "riders", store)
        await #expect(throws: AccountProblem.otherRole("driver")) {
            try await riders.check(moved("new-u0", "\(Self.recipient)-u0"))
        }
    }

    @Test func hookGetsTransferIdentifier() async throws {
        let side = try HookSide()
        side.respond(#"{"subject":"u-1"}"#)
        let repository = AccountFixture.repository(AccountRules(), MemoryStore.still, hook: side.hook())
        _ = try await repository.enter(moved("new", "transfer"))
        #expect(side.accepted.first?["transfer_subject"] == "transfer")
    }

    @Test func transferIdentifierIsReadFromAppleAlone() throws {
        let claims: JSONObject = ["sub": "a", "transfer_sub": "t"]
        #expect(ProviderIdentity(claims, of: .apple)?.transferSubject == "t")
        #expect(ProviderIdentity(claims, of: .google)?.transferSubject == nil)
        for bad: JSONValue in [1, "", "a\nb", .string(String(repeating: "a", count: 256))] {
            #expect(ProviderIdentity(claims.changed(["transfer_sub": bad]), of: .apple)?.transferSubject == nil)
        }
    }
}

extension AccountRecords {
    /// What Apple calls the account's login towards another team, now or before the move.
    fileprivate func transferSubject(of subject: String) async throws -> String? {
        let links = try await account(subject)?.record.links ?? []
        return links.lazy.compactMap { $0.transfer?.subject ?? $0.former?.transferSubject }.first
    }
}
