import Store
import TestSupport
import Testing
import Time

@testable import SharedState

/// How an instance's revocations change, by the store's changes and its own writes.
struct RevocationReplicaTests {
    private func record(
        _ name: String,
        tenant: String = "app",
        version: UInt64,
        isWithdrawn: Bool = false,
        expiresAt: UnixTime = .distantFuture
    ) -> RevocationRecord {
        RevocationRecord(
            tenant: tenant,
            digest: RevocationDigest(.session(name)),
            isWithdrawn: isWithdrawn,
            revokedAt: 0,
            expiresAt: expiresAt,
            version: version,
            note: RevocationNote(kind: "session")
        )
    }

    private func isInForce(_ book: RevocationReplica, _ name: String, tenant: String = "app") -> Bool {
        book.sets[tenant]?[RevocationDigest(.session(name))]?.isInForce(at: 1) ?? false
    }

    private func load(_ records: [RevocationRecord]) -> RevocationLoad {
        var load = RevocationLoad()
        load.add(records)
        return load
    }

    @Test func changesAffectOnlyTheirTenant() {
        var book = RevocationReplica(tenants: ["app", "shop"])
        let changed = book.apply([record("a", version: 1)], inOrder: true, at: 1)
        #expect(changed == ["app"])
        #expect(isInForce(book, "a"))
        #expect(!isInForce(book, "a", tenant: "shop"))
        let unknown = book.apply([record("a", tenant: "unknown", version: 2)], inOrder: true, at: 1)
        #expect(unknown.isEmpty)
    }

    @Test func lateOlderChangeIsIgnored() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 5, isWithdrawn: true)], inOrder: false, at: 1)
        let changed = book.apply([record("a", version: 3)], inOrder: true, at: 1)
        #expect(changed.isEmpty)
        #expect(!isInForce(book, "a"))
    }

    /// Changes arrive while the revocations of an added tenant are read: whichever is newer counts.
    @Test func loadOfAnAddedTenantKeepsNewerChanges() {
        var replica = RevocationReplica(tenants: ["shop"])
        replica.add(tenants: ["app"])
        _ = replica.apply([record("a", version: 5, isWithdrawn: true), record("b", version: 2)], inOrder: true, at: 1)
        _ = replica.apply([record("s", tenant: "shop", version: 1)], inOrder: true, at: 1)
        replica.add(
            load([record("a", version: 4), record("b", version: 3, isWithdrawn: true), record("c", version: 1)]),
            of: ["app"],
            at: 1
        )
        #expect(!isInForce(replica, "a") && !isInForce(replica, "b") && isInForce(replica, "c"))
        #expect(isInForce(replica, "s", tenant: "shop"))
    }

    @Test func loadReplacesKnownEntries() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 1), record("b", version: 2)], inOrder: true, at: 1)
        let lost = book.replace(
            with: load([
                record("a", version: 1), record("b", version: 3, isWithdrawn: true), record("c", version: 4),
            ]),
            since: book.latest,
            at: 1
        )
        #expect(lost.isEmpty)
        #expect(isInForce(book, "a"))
        #expect(!isInForce(book, "b"), "it was withdrawn while changes were lost")
        #expect(isInForce(book, "c"))
        #expect(book.sets["app"]?.count == 2)
    }

    @Test func lostRecordIsKeptAndRestored() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply(
            [record("a", version: 7), record("old", version: 2, expiresAt: 1), record("back", version: 8)],
            inOrder: true,
            at: 0
        )
        // The store went back to a time before "back" was revoked again.
        let lost = book.replace(with: load([record("back", version: 6, isWithdrawn: true)]), since: book.latest, at: 1)
        #expect(Set(lost.map(\.digest)) == [RevocationDigest(.session("a")), RevocationDigest(.session("back"))])
        #expect(lost.allSatisfy { $0.note == .restored && !$0.isWithdrawn })
        #expect(isInForce(book, "a"))
        #expect(isInForce(book, "back"))
        #expect(!isInForce(book, "old"))
    }

    @Test func changesDuringTheLoadAreKept() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 7)], inOrder: false, at: 0)
        let lost = book.replace(with: load([]), since: 6, at: 1)
        #expect(lost.isEmpty)
        #expect(isInForce(book, "a"))
    }

    @Test func lostWithdrawalIsRestored() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 7, isWithdrawn: true)], inOrder: false, at: 0)
        let lost = book.replace(with: load([record("a", version: 6)]), since: book.latest, at: 1)
        #expect(lost.map(\.isWithdrawn) == [true])
        #expect(!isInForce(book, "a"))
    }

    @Test func provisionalRevocationYieldsToTheStoresRecord() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 9, isWithdrawn: true)], inOrder: true, at: 0)
        let revocation = Revocation(tenant: "app", target: .session("a"), revokedAt: 0)
        let isApplied = book.applyProvisionally(revocation, at: 1)
        #expect(isApplied)
        #expect(isInForce(book, "a"))
        _ = book.apply([record("a", version: 100, isWithdrawn: true)], inOrder: true, at: 0)
        #expect(!isInForce(book, "a"))
    }

    @Test func provisionalRevocationDoesNotWeakenAnother() {
        var book = RevocationReplica(tenants: ["app"])
        _ = book.apply([record("a", version: 9)], inOrder: true, at: 0)
        _ = book.applyProvisionally(
            Revocation(tenant: "app", target: .session("a"), revokedAt: 5, expiresAt: 10),
            at: 1
        )
        let entry = book.sets["app"]?[RevocationDigest(.session("a"))]
        #expect(entry?.expiresAt == .distantFuture)
        #expect(entry?.revokedAt == 5)
    }

    /// Two instances of one store, of which one is disconnected for a while: in any order, both end with what the store
    /// has last.
    @Test(arguments: 0..<40)
    func instancesConvergeAfterMissedChanges(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var store: [RevocationDigest: RevocationRecord] = [:]
        var history: [RevocationRecord] = []
        var first = RevocationReplica(tenants: ["app"])
        var second = RevocationReplica(tenants: ["app"])
        var secondHasSeen = 0
        for version in 1...400 {
            let record = record("\(random.below(30))", version: UInt64(version), isWithdrawn: random.oneIn(3))
            store[record.digest] = record
            history.append(record)
            _ = first.apply([record], inOrder: true, at: 1)
            switch random.below(8) {
            case 0:
                // Its own write, known before the stream returns it.
                _ = second.apply([record], inOrder: false, at: 1)
            case 1:
                _ = second.apply(Array(history[secondHasSeen...]), inOrder: true, at: 1)
                secondHasSeen = history.count
            case 2:
                // Its place was trimmed away.
                let lost = second.replace(with: load(Array(store.values)), since: second.latest, at: 1)
                #expect(lost.isEmpty)
                secondHasSeen = max(0, history.count - random.below(20))
            default: break
            }
            if random.oneIn(20) { first.removeExpired(at: 1) }
            if random.oneIn(20) { second.removeExpired(at: 1) }
        }
        _ = second.apply(Array(history[secondHasSeen...]), inOrder: true, at: 1)
        for record in store.values {
            for book in [first, second] {
                let entry = book.sets["app"]?[record.digest]
                #expect((entry?.isInForce(at: 1) ?? false) == !record.isWithdrawn)
            }
        }
    }
}
