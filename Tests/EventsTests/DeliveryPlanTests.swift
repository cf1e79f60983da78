import TestSupport
import Testing
import Time

@testable import Events

/// Which messages are sent at once.
@Suite struct DeliveryPlanTests {
    private static let start = UnixTime(1_800_000_000)

    private static func place(_ name: String, _ client: String = "a") -> OutboxRecords.Place {
        OutboxRecords.Place(
            name: name,
            id: name,
            receiver: .client(tenant: "shop", id: client),
            time: start,
            oldest: start
        )
    }

    private static func client(_ id: String) -> OutboxReceiverID { .client(tenant: "shop", id: id) }

    @Test func clientBeginsWithTwoPlacesAndGetsMoreWhileItIsQuick() {
        var plan = DeliveryPlan()
        let offers = (0..<4).map { plan.offer(Self.place("\($0)"), at: Self.start) }
        #expect(offers == [.start, .start, .kept, .kept])
        plan.succeeded(Self.client("a"), after: 0.1)
        _ = plan.finished("0", at: Self.start)
        let next = [plan.next(at: Self.start)?.name, plan.next(at: Self.start)?.name]
        #expect(next == ["2", "3"])
        #expect(plan.runningCount == 3)
    }

    @Test func clientThatIsSlowOrFailsHasOnePlace() {
        for isSlow in [true, false] {
            var plan = DeliveryPlan()
            for name in ["0", "1", "2", "3"] { _ = plan.offer(Self.place(name), at: Self.start) }
            if isSlow {
                plan.succeeded(Self.client("a"), after: ReceiverHealth.slow)
            } else {
                plan.failed(Self.client("a"), at: Self.start)
            }
            _ = plan.finished("0", at: Self.start)
            #expect(plan.next(at: Self.start) == nil)
            _ = plan.finished("1", at: Self.start)
            let next = [plan.next(at: Self.start)?.name, plan.next(at: Self.start)?.name]
            #expect(next == ["2", nil])
        }
    }

    @Test func clientThatIsDownIsAskedNowAndThen() {
        var plan = DeliveryPlan()
        for name in ["0", "1", "2"] { _ = plan.offer(Self.place(name), at: Self.start) }
        for _ in 0..<ReceiverHealth.mostFailures { plan.failed(Self.client("a"), at: Self.start) }
        for name in ["0", "1"] { _ = plan.finished(name, at: Self.start) }
        #expect(plan.next(at: Self.start) == nil)
        let next = plan.next(at: Self.start + 60)?.name
        #expect(next == "2")
    }

    @Test func laggingClientsHaveHalfOfThePlaces() {
        var plan = DeliveryPlan(DeliveryPlan.Limits(total: 8))
        for client in 0..<20 {
            _ = plan.offer(Self.place("first \(client)", "\(client)"), at: Self.start)
            plan.failed(Self.client("\(client)"), at: Self.start)
            _ = plan.finished("first \(client)", at: Self.start)
        }
        let offers = (0..<20).map { plan.offer(Self.place("\($0)", "\($0)"), at: Self.start) }
        #expect(offers.count { $0 == .start } == 4)
        #expect(!plan.isFull(nil, at: Self.start))
        let well = (0..<4).map { plan.offer(Self.place("well \($0)", "well \($0)"), at: Self.start) }
        #expect(well.allSatisfy { $0 == .start })
        #expect(plan.isFull(nil, at: Self.start))
    }

    @Test func placeIsNotTakenTwice() {
        var plan = DeliveryPlan()
        let offers = ["0", "1", "2", "0", "2"].map { plan.offer(Self.place($0), at: Self.start) }
        #expect(offers == [.start, .start, .kept, .known, .known])
    }

    @Test func placeThatWasPassedOverIsLookedForWhenThereIsRoom() {
        var plan = DeliveryPlan(DeliveryPlan.Limits(waitingOfOne: 1))
        let offers = (0..<4).map { plan.offer(Self.place("\($0)"), at: Self.start) }
        #expect(offers == [.start, .start, .kept, .passedOver])
        let isMore = plan.finished("0", at: Self.start)
        #expect(!isMore)
        #expect(plan.next(at: Self.start)?.name == "2")
        let isMoreNow = plan.finished("1", at: Self.start)
        #expect(isMoreNow)
    }

    @Test func onlyReceiverIsFullWhenAllItsPlacesAreTaken() {
        var plan = DeliveryPlan()
        for number in 0..<ReceiverHealth.mostOfEvents {
            #expect(!plan.isFull(.webhook, at: Self.start))
            let place = OutboxRecords.Place(
                name: "\(number)",
                id: "\(number)",
                receiver: .webhook,
                time: Self.start,
                oldest: Self.start
            )
            let offer = plan.offer(place, at: Self.start)
            #expect(offer == .start)
        }
        #expect(plan.isFull(.webhook, at: Self.start))
    }

    /// Whatever receivers do, no bound is passed, and each place that was taken can be finished.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func boundsHold(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limits = DeliveryPlan.Limits(total: 10, waiting: 20, waitingOfOne: 6, waitingOfLagging: 2, receivers: 35)
        var plan = DeliveryPlan(limits)
        var (running, now) = ([OutboxRecords.Place](), Self.start)
        for step in 0..<3000 {
            now = now + Double(random.below(3))
            switch random.below(3) {
            case 0:
                let place = Self.place("\(step)", "\(random.below(200))")
                if plan.offer(place, at: now) == .start { running.append(place) }
            case 1: if let place = plan.next(at: now) { running.append(place) }
            default:
                guard !running.isEmpty else { continue }
                let place = running.remove(at: random.below(running.count))
                if random.oneIn(2) {
                    plan.failed(place.receiver, at: now)
                } else {
                    plan.succeeded(place.receiver, after: Double(random.below(6)))
                }
                _ = plan.finished(place.name, at: now)
            }
            #expect(plan.runningCount == running.count && running.count <= 10)
            #expect(plan.waitingCount <= 20 && plan.receiverCount <= 35)
            let most = Dictionary(grouping: running, by: \.receiver).values.map(\.count).max() ?? 0
            #expect(most <= ReceiverHealth.mostToOneOfMany)
        }
        // All of it is worked on in the end.
        for _ in 0..<400 {
            now = now + 60
            while let place = plan.next(at: now) { running.append(place) }
            for place in running { _ = plan.finished(place.name, at: now) }
            running = []
        }
        #expect(plan.waitingCount == 0 && plan.runningCount == 0)
    }
}
