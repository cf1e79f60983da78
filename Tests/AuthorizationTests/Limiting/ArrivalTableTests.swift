import Tenants
import TestSupport
import Testing
import Time

@testable import Authorization

@Suite struct ArrivalTableTests {
    private static let now: UInt64 = 1_800_000_000_000_000
    private static let salt = LimitSalt()
    private static let hourly = Allowance(AllowanceTests.limit(100, .seconds(3600), burst: 100))

    private static func key(_ number: Int) -> LimitKey {
        LimitKey(LimitSubject("caller \(number)", of: "https://issuer.test"), salt: salt)
    }

    @Test func keysAreCountedSeparately() {
        let table = ArrivalTable(sets: 64)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(10), burst: 2))
        for number in 0..<40 {
            #expect(table.take(Self.key(number), allowance, at: Self.now) == .taken)
            #expect(table.take(Self.key(number), allowance, at: Self.now) == .taken)
            #expect(table.take(Self.key(number), allowance, at: Self.now) == .refused(wait: 10_000_000))
        }
        #expect(table.take(Self.key(3), allowance, at: Self.now + 10_000_000) == .taken)
        #expect(table.take(Self.key(3), allowance, at: Self.now + 10_000_000) == .refused(wait: 10_000_000))
    }

    @Test func returnedAllowanceIsUsableAgain() {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(10), burst: 1))
        #expect(table.take(Self.key(1), allowance, at: Self.now) == .taken)
        table.giveBack(Self.key(1), allowance, isReserved: false)
        #expect(table.arrival(Self.key(1)) == Self.now)
        #expect(table.take(Self.key(1), allowance, at: Self.now) == .taken)
        table.giveBack(Self.key(2), allowance, isReserved: false)
        #expect(table.arrival(Self.key(2)) == 0)
    }

    /// A day back, which is more than a shared allowance can be ahead, too.
    @Test(arguments: [false, true])
    func clockSetBackBlocksForAtMostOneBurst(isShared: Bool) {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(10), burst: 3, isShared: isShared))
        func take(at now: UInt64) -> ArrivalTable.Taking {
            let taking = table.take(Self.key(1), allowance, isReserved: isShared, at: now)
            table.settle(Self.key(1), allowance, count: 1, wholeIn: nil, at: now)
            return taking
        }
        for _ in 0..<3 { #expect(take(at: Self.now) == .taken) }
        let earlier = Self.now - 86_400_000_000
        #expect(take(at: earlier) == .refused(wait: 10_000_000))
        #expect(take(at: earlier + 4_000_000) == .refused(wait: 6_000_000))
        for seconds in [10, 20, 30] as [UInt64] {
            #expect(take(at: earlier + seconds * 1_000_000) == .taken)
            #expect(take(at: earlier + seconds * 1_000_000) == .refused(wait: 10_000_000))
        }
        for _ in 0..<3 { #expect(take(at: earlier + 60_000_000) == .taken) }
        #expect(take(at: earlier + 60_000_000) == .refused(wait: 10_000_000))
    }

    /// Loops that read the time a little earlier than others never reduce a key's debt, with any number of checks.
    @Test func smallClockDifferencesAreTolerated() {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(10), burst: 1))
        #expect(table.take(Self.key(1), allowance, at: Self.now) == .taken)
        for earlier in [5000, 500_000, 1_000_000] as [UInt64] {
            #expect(table.take(Self.key(1), allowance, at: Self.now - earlier) != .taken)
            #expect(table.arrival(Self.key(1)) == Self.now + 10_000_000)
        }
        #expect(table.take(Self.key(1), allowance, at: Self.now + 9_999_999) == .refused(wait: 1))
    }

    /// Other instances may have let much more through than the burst: that is made up for.
    @Test func storedDebtIsKept() {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(10), burst: 2, isShared: true))
        #expect(table.take(Self.key(1), allowance, isReserved: true, at: Self.now) == .taken)
        table.settle(Self.key(1), allowance, count: 0, wholeIn: 1_000_000_000_000, at: Self.now)
        let due = Self.now + allowance.most - allowance.capacity + allowance.interval
        for seconds in [0, 100, 4000] as [UInt64] {
            let now = Self.now + seconds * 1_000_000
            let taking = table.take(Self.key(1), allowance, isReserved: true, at: now)
            #expect(taking == .refused(wait: due - now))
            #expect(table.arrival(Self.key(1)) == Self.now + allowance.most)
        }
        #expect(table.take(Self.key(1), allowance, isReserved: true, at: due) == .taken)
    }

    /// Threads that hammer one key at the same moment of an allowance get as many requests as there are, exactly.
    @Test func threadsNeverExceedTheLimit() async {
        for round in 0..<20 {
            let table = ArrivalTable(sets: 2)
            let taken = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        (0..<2000).count { _ in table.take(Self.key(round), Self.hourly, at: Self.now) == .taken }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(taken == 100)
        }
    }

    /// The same while other keys come and go in the same sets.
    @Test func threadsNeverExceedTheLimitInAFlood() async {
        let table = ArrivalTable(sets: 16)
        // In debt already, as a heavy caller is.
        for _ in 0..<40 { _ = table.take(Self.key(-1), Self.hourly, at: Self.now) }
        let taken = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    (0..<2000).count { number in
                        _ = table.take(Self.key(thread * 2000 + number), Self.hourly, at: Self.now)
                        return table.take(Self.key(-1), Self.hourly, at: Self.now) == .taken
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 60)
    }

    /// A million keys are within what the table was made with, and the limited caller is still limited.
    @Test func floodOfKeysDoesNotEvictHeavyCallers() {
        let table = ArrivalTable()
        let heavy = (0..<50).map { Self.key(-1 - $0) }
        for key in heavy {
            while table.take(key, Self.hourly, at: Self.now) == .taken {}
        }
        var random = SplitMix64(seed: 11)
        for _ in 0..<1_000_000 {
            let key = LimitKey(bucket: random.next(), mixed: random.next())
            _ = table.take(key, Self.hourly, at: Self.now)
        }
        for key in heavy { #expect(table.take(key, Self.hourly, at: Self.now) != .taken) }
    }

    @Test func fullSetEvictsTheKeyWithTheLeastDebt() {
        let table = ArrivalTable(sets: 1)
        for number in 0..<8 {
            for _ in 0...number { _ = table.take(Self.key(number), Self.hourly, at: Self.now) }
        }
        #expect(table.take(Self.key(8), Self.hourly, at: Self.now) == .taken)
        #expect(table.arrival(Self.key(0)) == 0)
        for number in 1..<8 {
            #expect(table.arrival(Self.key(number)) == Self.now + UInt64(number + 1) * Self.hourly.interval)
        }
        // The key that replaced it does not inherit its debt.
        #expect(table.arrival(Self.key(8)) == Self.now + Self.hourly.interval)
    }

    @Test func unsettledRequestsAreBounded() {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(1), burst: 10, isShared: true, ahead: 3))
        for _ in 0..<3 { #expect(table.take(Self.key(1), allowance, isReserved: true, at: Self.now) == .taken) }
        #expect(table.take(Self.key(1), allowance, isReserved: true, at: Self.now) == .refused(wait: 1_000_000))
        table.settle(Self.key(1), allowance, count: 2, wholeIn: 5_000_000, at: Self.now)
        #expect(table.unsettled(Self.key(1)) == 1)
        // The records of the store, and the one that it has lost.
        #expect(table.arrival(Self.key(1)) == Self.now + 6_000_000)
        for _ in 0..<2 { #expect(table.take(Self.key(1), allowance, isReserved: true, at: Self.now) == .taken) }
        table.settle(Self.key(1), allowance, count: 3, wholeIn: nil, at: Self.now)
        #expect(table.unsettled(Self.key(1)) == 0)
        #expect(table.arrival(Self.key(1)) == Self.now + 8_000_000)
    }

    @Test func storedStateAppliesToAnEvictedKey() {
        let table = ArrivalTable(sets: 4)
        let allowance = Allowance(AllowanceTests.limit(1, .seconds(1), burst: 2, isShared: true))
        table.settle(Self.key(1), allowance, count: 4, wholeIn: 9_000_000, at: Self.now)
        #expect(table.unsettled(Self.key(1)) == 0)
        #expect(table.take(Self.key(1), allowance, isReserved: true, at: Self.now) == .refused(wait: 8_000_000))
        #expect(table.unsettled(Self.key(1)) == 0)
        table.settle(Self.key(2), allowance, count: 1, wholeIn: nil, at: Self.now)
        #expect(table.arrival(Self.key(2)) == 0)
    }
}
