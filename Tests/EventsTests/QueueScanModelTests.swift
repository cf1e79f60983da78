import TestSupport
import Testing
import Time

@testable import Events

/// A queue that others change while an instance reads it, and receivers that come and go.
@Suite struct QueueScanModelTests {
    /// One instance with its queue, by the second.
    private struct Model {
        var random: SplitMix64
        var now = UnixTime(1_800_000_000)
        var plan = DeliveryPlan()
        var scan = QueueScan()
        /// In the order of their names.
        private(set) var queue: [OutboxRecords.Place] = []
        /// Receivers that answer, and those that this instance knows.
        var (up, known) = (Set<Int>(), Set(0..<12))
        var added = 0
        var running: [OutboxRecords.Place] = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
        }

        static func number(_ id: OutboxReceiverID) -> Int {
            if case .client(_, let id?) = id { Int(id) ?? 0 } else { 0 }
        }

        mutating func add(_ receiver: OutboxReceiverID, at time: UnixTime) {
            added += 1
            let name = "\(Int(time.seconds))-\(String(added + 1_000_000))"
            let place = OutboxRecords.Place(
                name: name,
                id: name,
                receiver: receiver,
                time: UnixTime(time.seconds.rounded(.down)),
                oldest: time
            )
            queue.insert(place, at: index(after: name))
        }

        /// Removes a place.
        ///
        /// - Returns: Whether it was there.
        mutating func remove(_ name: String) -> Bool {
            let index = index(after: name) - 1
            guard queue.indices.contains(index), queue[index].name == name else { return false }
            queue.remove(at: index)
            return true
        }

        /// Of the first place after a name.
        private func index(after name: String) -> Int {
            var (low, high) = (0, queue.count)
            while low < high {
                let middle = (low + high) / 2
                if name < queue[middle].name { high = middle } else { low = middle + 1 }
            }
            return low
        }

        /// - Returns: How many pages were read.
        mutating func second() -> Int {
            now = now + 1
            scan.tick()
            var pages = 0
            repeat {
                while let place = plan.next(at: now) { running.append(place) }
                pages += read()
                finish()
            } while !running.isEmpty
            return pages
        }

        private mutating func read() -> Int {
            var pages = 0
            while !plan.isFull(nil, at: now) {
                if let place = scan.next() {
                    take(place)
                    continue
                }
                let (plan, known, now) = (plan, known, now)
                scan.turn { known.contains(Self.number($0)) && plan.takesMore($0, at: now) }
                guard scan.needsPage else { return pages }
                let start = scan.cursor.map { index(after: $0) } ?? 0
                scan.add(Array(queue[start...].prefix(QueueScan.page)), at: now)
                pages += 1
            }
            return pages
        }

        private mutating func take(_ place: OutboxRecords.Place) {
            guard known.contains(Self.number(place.receiver)) else { return scan.leave(place) }
            switch plan.offer(place, at: now) {
            case .start: running.append(place)
            case .passedOver: scan.leave(place)
            case .kept, .known: break
            }
        }

        private mutating func finish() {
            for place in running {
                if random.oneIn(10) {
                    scan.leave(place)
                } else if remove(place.name) {
                    if up.contains(Self.number(place.receiver)) {
                        plan.succeeded(place.receiver, after: 0.1)
                    } else {
                        plan.failed(place.receiver, at: now)
                        add(place.receiver, at: now + 5 + Double(random.below(60)))
                    }
                }
                let takesMore = plan.finished(place.name, at: now)
                if takesMore, scan.hasLeft(place.receiver) { scan.lookBehind() }
            }
            running = []
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func nothingIsForgotten(_ seed: UInt64) {
        var model = Model(seed: seed)
        for second in 0..<250 {
            if second < 200 {
                for _ in 0..<model.random.below(24) {
                    model.add(.client(tenant: "shop", id: "\(model.random.below(12))"), at: model.now)
                }
            }
            if model.random.oneIn(20) { model.up.formSymmetricDifference([model.random.below(12)]) }
            if model.random.oneIn(40) { model.known.formSymmetricDifference([model.random.below(12)]) }
            // Another instance delivers.
            if model.random.oneIn(3), let place = model.queue.randomElement(using: &model.random) {
                _ = model.remove(place.name)
            }
            let pages = model.second()
            #expect(pages <= QueueScan.mostPages)
        }
        (model.up, model.known) = (Set(0..<12), Set(0..<12))
        for _ in 0..<300 where !model.queue.isEmpty { _ = model.second() }
        #expect(model.queue.isEmpty)
    }

    /// Receivers that are down cost a page a second for what is new, and one now and then for the attempts.
    @Test func whatWaitsForReceiversThatAreDownCostsNothing() {
        var model = Model(seed: 1)
        for number in 0..<3000 { model.add(.client(tenant: "shop", id: "\(number % 3)"), at: model.now) }
        for _ in 0..<120 { _ = model.second() }
        var pages = 0
        for _ in 0..<200 { pages += model.second() }
        #expect(pages < 260)
        #expect(model.queue.count == 3000)
    }
}
