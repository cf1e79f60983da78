import Store
import TestSupport
import Testing

@testable import IdentityProvider
@testable import Tenants

/// Concurrent sign-ins on several instances, and crashes at any call.
struct AccountRaceTests {
    @Test(arguments: StoreKind.allCases)
    func concurrentSignInsOfOneIdentityCreateOneAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let repositories = try await repositories(stores)
            for identity in [AccountFixture.apple(), AccountFixture.google(email: nil)] {
                let subjects = try await subjects((0..<50).map { (repositories[$0 % 3], identity) })
                #expect(subjects.count == 1)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentSignInsWithOneEmailCreateOneAccount(_ kind: StoreKind) async throws {
        try await kind.run { stores in
            let repositories = try await repositories(stores)
            let people = [
                AccountFixture.apple(), AccountFixture.google(), AccountFixture.apple("2"), AccountFixture.google("2"),
            ]
            let subjects = try await subjects((0..<48).map { (repositories[$0 % 3], people[$0 % 4]) })
            #expect(subjects.count == 1)
            let account = try await repositories[0].enter(AccountFixture.apple())
            #expect(Set(account.identities) == Set(people.map(\.key)))
        }
    }

    @Test func concurrentSignInsWithTwoRolesKeepOne() async throws {
        let store = MemoryStore.still
        let roles = ["driver", "rider"].map {
            AccountFixture.repository(AccountRules(realm: "taxi", role: $0, linkByEmail: true), tenant: $0, store)
        }
        let outcomes = await withTaskGroup(of: String?.self) { group in
            for index in 0..<20 {
                group.addTask { try? await roles[index % 2].enter(AccountFixture.apple()).role }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(Set(outcomes.compactMap { $0 }).count == 1)
        #expect(outcomes.count { $0 == nil } == 10)
    }

    /// Another instance completes a sign-in before the n-th call of this one.
    @Test(arguments: [
        (AccountFixture.apple(), AccountFixture.apple()), (AccountFixture.apple(), AccountFixture.google()),
        (AccountFixture.apple(email: nil), AccountFixture.apple(email: nil)),
    ])
    func interleavedSignInFindsSameAccount(_ mine: ProviderIdentity, _ other: ProviderIdentity) async throws {
        for step in 1...20 {
            let store = WatchedStore()
            let tally = Tally()
            let elsewhere = AccountFixture.repository(store.memory)
            store.onCall { (_) async throws(StoreError) in
                if tally.next() == step { _ = try? await elsewhere.enter(other) }
            }
            let account = try await AccountFixture.repository(store).enter(mine)
            let calls = tally.next() - 1
            #expect(try await elsewhere.enter(other).subject == account.subject, "before call \(step)")
            #expect(try await elsewhere.enter(mine).subject == account.subject, "before call \(step)")
            if calls < step { return }
        }
        Issue.record("a sign-in takes more than twenty calls")
    }

    /// After a crash before the n-th call, the same identity or another with the e-mail signs in first.
    @Test(arguments: [
        [AccountFixture.apple(), AccountFixture.google()], [AccountFixture.google(), AccountFixture.apple()],
    ])
    func crashAtAnyCallLeavesOneAccount(_ next: [ProviderIdentity]) async throws {
        for rules in [AccountRules(linkByEmail: true), AccountRules(realm: "taxi", role: "rider", linkByEmail: true)] {
            var kills = 0
            for step in 1...20 {
                let store = WatchedStore()
                let repository = AccountFixture.repository(rules, store)
                guard await isKilled(repository, store, before: step) else { break }
                kills += 1
                let subjects = try await subjects([(repository, next[0])])
                for identity in next + next {
                    #expect(
                        try await subjects == [repository.enter(identity, after: 1).subject],
                        "killed before \(step)"
                    )
                }
                let account = try #require(try await repository.account(of: next[1].key))
                #expect(Set(account.identities) == Set(next.map(\.key)))
            }
            #expect(kills >= 5)
        }
    }

    @Test func crashDuringEmailChangeGivesNoAccessToOldAddress() async throws {
        for step in 1...20 {
            let store = WatchedStore()
            let repository = AccountFixture.repository(store)
            let alice = try await repository.enter(AccountFixture.apple())
            let moved = AccountFixture.apple(email: "alice@new.example")
            let isKilled = await isKilled(repository, store, moved, before: step)
            #expect(try await repository.enter(moved).subject == alice.subject)
            #expect(
                try await repository.enter(AccountFixture.google()).subject != alice.subject,
                "killed before \(step)"
            )
            #expect(try await repository.enter(AccountFixture.google("2", email: moved.email)).subject == alice.subject)
            guard isKilled else { return }
        }
        Issue.record("a sign-in takes more than twenty calls")
    }

    /// The e-mail of an account that was never created is free again after ten minutes.
    @Test func emailWithoutAccountIsReservedForTenMinutes() async throws {
        for (seconds, isJoined) in [(599.0, true), (601.0, false)] {
            let store = WatchedStore()
            let repository = AccountFixture.repository(store)
            // The pointers are stored, the account is not.
            #expect(await isKilled(repository, store, before: 5))
            #expect(try await repository.account(of: AccountFixture.apple().key) == nil)
            let other = try await repository.enter(AccountFixture.google(), after: seconds)
            #expect(
                try await (repository.enter(AccountFixture.apple(), after: seconds).subject == other.subject)
                    == isJoined
            )
        }
    }

    @Test func unchangedSignInWritesAndLogsNothing() async throws {
        let store = WatchedStore()
        let log = RecordedLog()
        let repository = AccountFixture.repository(store, log: log)
        let account = try await repository.enter(AccountFixture.apple())
        store.fail([.set, .replace, .remove])
        #expect(try await repository.enter(AccountFixture.apple()) == account)
        #expect(log.lines == [])
    }

    @Test func storeFailureIsUnavailableAndGarbledRecordIsLogged() async throws {
        let store = WatchedStore()
        let log = RecordedLog()
        let repository = AccountFixture.repository(store, log: log)
        store.fail([.value])
        let gone = AccountProblem.unavailable(.storeUnavailable)
        await #expect(throws: gone) { try await repository.enter(AccountFixture.apple()) }
        await #expect(throws: gone) { try await repository.account(ofSubject: "a") }
        #expect(log.lines.isEmpty)
        store.onCall(nil)
        try await store.set(Array("{}".utf8), for: accountKey("a"), lifetime: nil)
        await #expect(throws: gone) { try await repository.account(ofSubject: "a") }
        #expect(log.lines.contains { $0.hasPrefix("error an account cannot be read or kept") })
    }

    // MARK: Steps

    private func accountKey(_ subject: String) -> StoreKey {
        StoreKey(tenant: "chat", kind: "account", hashing: subject.utf8)
    }

    private func repositories(_ stores: StoreFixture) async throws -> [AccountRepository] {
        var repositories: [AccountRepository] = []
        for _ in 0..<3 { repositories.append(AccountFixture.repository(try await stores.store())) }
        return repositories
    }

    private func subjects(_ signIns: [(AccountRepository, ProviderIdentity)]) async throws -> Set<String> {
        try await withThrowingTaskGroup(of: String.self) { group in
            for (repository, identity) in signIns {
                group.addTask { try await repository.enter(identity).subject }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    /// Whether a sign-in fails if the store fails from call number `step` on.
    private func isKilled(
        _ repository: AccountRepository,
        _ store: WatchedStore,
        _ identity: ProviderIdentity = AccountFixture.apple(),
        before step: Int
    ) async -> Bool {
        let tally = Tally()
        store.onCall { (_) async throws(StoreError) in
            if tally.next() >= step { throw .unavailable("killed") }
        }
        let account = try? await repository.enter(identity)
        store.onCall(nil)
        return account == nil
    }
}
