import TestSupport
import Testing
import Time
import Upstream

@testable import Authorization

/// The queue of a server's pool: which request is next, and which is evicted.
struct FairQueueTests {
    private final class Request {
        let address: SubjectName
        let number: Int

        init(_ address: SubjectName, _ number: Int) {
            self.address = address
            self.number = number
        }
    }

    private static let (a, b, c) = (name(1), name(2), name(3))

    private static func name(_ byte: UInt8) -> SubjectName { SubjectName(short: [byte]) }

    private func queue(_ addresses: [SubjectName]) -> FairQueue<Request, SubjectName> {
        var queue = FairQueue<Request, SubjectName>()
        for (number, address) in addresses.enumerated() {
            let isAdded = queue.append(Request(address, number), of: address, at: .after(UInt64(number)))
            #expect(isAdded)
        }
        return queue
    }

    @Test func waitingElementKeepsPosition() {
        var queue = FairQueue<Request, SubjectName>()
        let (first, second) = (Request(Self.a, 0), Request(Self.a, 1))
        let added = [first, second, first].map { queue.append($0, of: Self.a, at: .after(0)) }
        let served = [0, 1, 2].map { _ in queue.next(unless: { _ in false })?.number }
        #expect(added == [true, true, false] && served == [0, 1, nil])
    }

    @Test func addressesTakeTurns() {
        var queue = queue([Self.a, Self.a, Self.a, Self.b, Self.c, Self.b])
        var order: [Int] = []
        while let request = queue.next(unless: { _ in false }) { order.append(request.number) }
        #expect(order == [0, 3, 4, 1, 5, 2])
        #expect(queue.isEmpty)
    }

    @Test func addressWithFullShareComesLast() {
        var queue = queue([Self.a, Self.a, Self.b, Self.b])
        let order = (0..<4).compactMap { _ in queue.next(unless: { $0 == Self.a })?.number }
        #expect(order == [2, 3, 0, 1])
    }

    @Test func fullQueueDropsNewestOfLongestLine() {
        var queue = queue([Self.a, Self.a, Self.b, Self.a])
        let dropped = (0..<3).map { _ in queue.evict(for: Self.c)?.number }
        // With one more its queue would be as long as the longest then.
        #expect(dropped == [3, 1, nil])
        #expect(queue.count == 2)
    }

    @Test func longestLineCannotEvictForItself() {
        var queue = queue([Self.a, Self.a, Self.a, Self.b])
        let dropped = queue.evict(for: Self.a)
        #expect(dropped == nil)
        #expect(queue.count == 4)
    }

    @Test func onlyWaitedRequestsOfOthersAreCounted() {
        let queue = queue([Self.a, Self.b, Self.c, Self.b])
        #expect(queue.count(butNot: Self.a, since: 2) == 2)
        #expect(queue.count(butNot: Self.b, since: 9) == 2)
        #expect(queue.count(butNot: Self.a, since: 0) == 0)
    }

    @Test func removalKeepsTurnsOfOthers() {
        var queue = FairQueue<Request, SubjectName>()
        let requests = [Self.a, Self.b, Self.b, Self.c].enumerated().map { Request($1, $0) }
        for request in requests { _ = queue.append(request, of: request.address, at: 0) }
        let isRemoved = [queue.remove(requests[0]), queue.remove(requests[1]), queue.remove(Request(Self.c, 3))]
        #expect(isRemoved == [true, true, false])
        let left = (0..<3).map { _ in queue.next(unless: { _ in false })?.number }
        #expect(left == [2, 3, nil])
    }

    /// Removing a client costs the same for any number of addresses.
    @Test func removalWorkIsLinear() {
        func comparisons(ofRequests count: Int) -> Int {
            let counter = Counter()
            var queue = FairQueue<Request, CountedAddress>()
            var requests = (0..<count).map { Request(Self.a, $0) }
            for request in requests {
                let isAdded = queue.append(request, of: CountedAddress(number: request.number, counter: counter), at: 0)
                #expect(isAdded)
            }
            var random = SplitMix64(seed: 41)
            requests.shuffle(using: &random)
            counter.comparisons = 0
            for request in requests {
                let isRemoved = queue.remove(request)
                #expect(isRemoved)
            }
            #expect(queue.isEmpty)
            return counter.comparisons
        }
        // A few for each: those that the hash tables need.
        for count in [500, 1000, 2000] { #expect(comparisons(ofRequests: count) < 16 * count) }
    }

    private final class Counter {
        var comparisons = 0
    }

    private struct CountedAddress: Hashable {
        let number: Int
        let counter: Counter

        static func == (first: CountedAddress, second: CountedAddress) -> Bool {
            first.counter.comparisons += 1
            return first.number == second.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// Against a plain list: nothing is lost or served twice, and each address is served in its own order.
    @Test func everyElementIsServedOnce() {
        var random = SplitMix64(seed: 19)
        for _ in 0..<100 {
            var queue = FairQueue<Request, SubjectName>()
            var waiting: [Request] = []
            for number in 0..<200 {
                switch random.below(5) {
                case 0, 1:
                    let request = Request(Self.name(UInt8(random.below(5))), number)
                    let isAdded = queue.append(request, of: request.address, at: .after(UInt64(number)))
                    #expect(isAdded)
                    waiting.append(request)
                case 2:
                    let held = Self.name(UInt8(random.below(5)))
                    let request = queue.next { $0 == held }
                    #expect((request == nil) == waiting.isEmpty)
                    guard let request else { continue }
                    #expect(waiting.first { $0.address == request.address } === request)
                    if request.address == held { #expect(waiting.allSatisfy { $0.address == held }) }
                    waiting.removeAll { $0 === request }
                case 3:
                    guard let request = waiting.randomElement(using: &random) else { continue }
                    let (first, second) = (queue.remove(request), queue.remove(request))
                    #expect(first && !second)
                    waiting.removeAll { $0 === request }
                default:
                    guard let request = queue.evict(for: Self.name(UInt8(random.below(5)))) else { continue }
                    #expect(waiting.last { $0.address == request.address } === request)
                    waiting.removeAll { $0 === request }
                }
                #expect(queue.count == waiting.count)
            }
        }
    }
}
