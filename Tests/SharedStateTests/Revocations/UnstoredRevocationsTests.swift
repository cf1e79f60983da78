import Store
import TestSupport
import Testing

@testable import SharedState

/// Waiting changes are stored once and in order, also with other changes in the meantime.
struct UnstoredRevocationsTests {
    private func revocation(_ number: Int) -> Revocation {
        Revocation(tenant: "app", target: .session("\(number)"), revokedAt: 1)
    }

    @Test func signOutsAreStoredOnceAndInOrder() {
        var unstored = UnstoredRevocations()
        var random = SplitMix64(seed: 0x5709)
        var stored: [Revocation] = []
        var next = 0
        while next < 3000 || unstored.count > 0 {
            if next < 3000 {
                for number in 0..<random.below(40) {
                    let dropped = unstored.add([revocation(next + number)])
                    #expect(dropped == 0)
                }
                next = stored.count + unstored.count
            }
            guard let batch = unstored.revocations() else { continue }
            // More comes while the store is at it.
            if next < 3000 {
                _ = unstored.add([revocation(next)])
                next += 1
            }
            if random.oneIn(3) {
                unstored.failed()
            } else {
                stored += batch.revocations
                unstored.stored(batch)
                unstored.worked()
            }
        }
        #expect(stored == (0..<next).map(revocation))
    }

    @Test func onlyTheOldestAreDropped() {
        var unstored = UnstoredRevocations()
        for number in 0..<UnstoredRevocations.most { _ = unstored.add([revocation(number)]) }
        let batch = unstored.revocations()
        // Half of the batch is given up while the store is at it.
        let dropped = (0..<128).reduce(0) { $0 + unstored.add([revocation(UnstoredRevocations.most + $1)]) }
        #expect(dropped == 128)
        if let batch { unstored.stored(batch) }
        #expect(unstored.revocations()?.revocations.first == revocation(256))
        #expect(unstored.count == UnstoredRevocations.most - 128)
    }

    @Test func droppedBatchDropsNoOthers() {
        var unstored = UnstoredRevocations()
        for number in 0..<UnstoredRevocations.most { _ = unstored.add([revocation(number)]) }
        let batch = unstored.revocations()
        for number in 0..<1000 { _ = unstored.add([revocation(UnstoredRevocations.most + number)]) }
        if let batch { unstored.stored(batch) }
        #expect(unstored.count == UnstoredRevocations.most)
        #expect(unstored.revocations()?.revocations.first == revocation(1000))
    }

    @Test func revocationsMadeTogetherStayTogether() {
        var unstored = UnstoredRevocations()
        for number in 0..<200 {
            let made = [revocation(number), revocation(1000 + number), revocation(2000 + number)]
            _ = unstored.add(made, isSignOut: number.isMultiple(of: 2))
        }
        #expect(unstored.count == 600)
        var groups: [UnstoredRevocations.Group] = []
        while let batch = unstored.revocations() {
            #expect(batch.revocations.count <= 256)
            groups += batch.groups
            unstored.stored(batch)
        }
        #expect(groups.count == 200 && unstored.count == 0)
        #expect(groups.allSatisfy { $0.revocations.count == 3 })
        #expect(groups.map(\.isSignOut) == (0..<200).map { $0.isMultiple(of: 2) })
    }

    @Test func secondLossIsRestoredCompletely() {
        let records = (0..<3).map { RevocationRecord(revocation($0), version: 1) }
        var unstored = UnstoredRevocations()
        unstored.lost(records)
        let first = unstored.lost()
        unstored.lost(Array(records.dropFirst()))
        if let first { unstored.restored(first) }
        #expect(unstored.lost()?.records == Array(records.dropFirst()))
        if let second = unstored.lost() { unstored.restored(second) }
        #expect(unstored.lost() == nil)
    }

    @Test func pauseGrowsWithFailuresAndEndsWithSuccess() {
        var unstored = UnstoredRevocations()
        #expect(unstored.pause == nil)
        _ = unstored.add([Revocation(tenant: "app", target: .session("s"), revokedAt: 1)])
        var pauses = [unstored.pause ?? .zero]
        for _ in 0..<8 {
            unstored.failed()
            pauses.append(unstored.pause ?? .zero)
        }
        #expect(pauses == pauses.sorted())
        #expect(pauses.first == .milliseconds(250))
        #expect(pauses.last == .seconds(16))
        unstored.worked()
        #expect(unstored.pause == pauses.first)
    }
}
