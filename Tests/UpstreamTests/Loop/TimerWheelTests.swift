import TestSupport
import Testing
import Time

@testable import Upstream

struct TimerWheelTests {
    private final class Target: WheelTimerTarget {
        func deadlineMet() {}
    }

    /// Timers, compared with a plain list of their deadlines.
    private struct World {
        static let tick = TimerWheel.tickLength
        var now: MonotonicTime
        var wheel: TimerWheel
        let targets = (0..<24).map { _ in Target() }
        let timers: [WheelTimer]
        var deadlines: [MonotonicTime?]

        init(now: MonotonicTime) {
            self.now = now
            wheel = TimerWheel(now: now)
            timers = targets.map {
                let timer = WheelTimer()
                timer.target = $0
                return timer
            }
            deadlines = Array(repeating: nil, count: targets.count)
        }

        mutating func set(_ index: Int, _ deadline: MonotonicTime?) {
            wheel.set(timers[index], deadline ?? WheelTimer.never)
            deadlines[index] = deadline
        }

        /// Takes a timer out, to be set again later.
        mutating func retire(_ index: Int) {
            wheel.retire(timers[index])
            timers[index].target = targets[index]
            deadlines[index] = nil
        }

        /// Advances. Returns a description of the failure, if any.
        mutating func advance(to time: MonotonicTime) -> String? {
            now = time
            for timer in wheel.advance(to: time) where timer.takeDeadline(at: time) {
                guard let target = timer.target else { return "a timer without a target was given" }
                guard let index = targets.firstIndex(where: { $0 === target }) else { return "an unknown target" }
                guard let deadline = deadlines[index] else { return "\(index) was called without a deadline" }
                guard deadline <= time else { return "\(index) was called \(deadline - time) ns early" }
                guard timers[index].deadline == WheelTimer.never else { return "\(index) still has its deadline" }
                deadlines[index] = nil
            }
            for (index, deadline) in deadlines.enumerated() {
                if let deadline, deadline + Self.tick <= time { return "\(index) is \(time - deadline) ns late" }
            }
            return nil
        }
    }

    private func change(_ world: inout World, _ random: inout SplitMix64) {
        let index = random.below(world.timers.count)
        switch random.below(8) {
        case 0: world.set(index, nil)
        case 1: world.retire(index)
        // A connection's deadline mostly moves a little further away.
        case 2...4: world.set(index, world.now + UInt64(random.below(3_000_000_000)))
        case 5: world.set(index, world.now)
        // Past the wheel's end, which is 51.2 s away.
        default: world.set(index, world.now + UInt64(random.below(150_000_000_000)))
        }
    }

    @Test(arguments: [0, 1, 7_000_000_123] as [UInt64])
    func deadlinesFireWithinOneTickAndNeverEarly(start: UInt64) {
        var random = SplitMix64(seed: 100 + start)
        var world = World(now: .after(start))
        for tick in 1..<20_000 {
            for _ in 0..<random.below(3) { change(&world, &random) }
            if let problem = world.advance(to: .after((start / World.tick + UInt64(tick)) * World.tick)) {
                Issue.record("tick \(tick): \(problem)")
                return
            }
        }
    }

    @Test func deadlinesFireAfterStalls() {
        var random = SplitMix64(seed: 110)
        var world = World(now: 5_000_000_000)
        for round in 0..<5000 {
            for _ in 0..<random.below(6) { change(&world, &random) }
            let stall = random.pick([0, 1, 2, 1000, 1023, 1024, 1025, 3000])
            let start = (world.now.nanoseconds / World.tick + UInt64(stall)) * World.tick
            let time = MonotonicTime.after(start + UInt64(random.below(Int(World.tick))))
            if let problem = world.advance(to: max(time, world.now)) {
                Issue.record("round \(round): \(problem)")
                return
            }
        }
    }

    /// Advanced only at its next deadline, or a tick after it.
    @Test func sleepingWheelFiresWithinOneTick() {
        final class Alarm { var rang = false }
        var random = SplitMix64(seed: 120)
        var world = World(now: 7_000_000_000)
        let alarm = Alarm()
        world.wheel.wake = { alarm.rang = true }
        for round in 0..<5000 {
            alarm.rang = false
            let next = world.wheel.sleep()
            #expect(next > world.now)
            var time = next
            if random.below(3) > 0 {
                world.now += UInt64(random.below(Int(next - world.now)))
                for _ in 0..<random.below(4) { change(&world, &random) }
                if alarm.rang { time = min(next, .after((world.now.nanoseconds / World.tick + 1) * World.tick)) }
            }
            if let problem = world.advance(to: time) {
                Issue.record("round \(round): \(problem)")
                return
            }
        }
    }

    @Test func sleepLastsUntilFirstTimerOrOneRound() {
        var world = World(now: 0)
        let second: UInt64 = 1_000_000_000
        #expect(world.wheel.sleep() == .after(1023 * World.tick))
        world.set(0, .after(20 * second))
        world.set(1, .after(10 * second))
        #expect(world.wheel.sleep() == .after(10 * second + World.tick))
        world.set(2, .after(200 * second))
        #expect(world.wheel.sleep() == .after(10 * second + World.tick))
    }

    @Test func timerFiresOnceAndMayBeSetAgain() {
        var world = World(now: 0)
        let second: UInt64 = 1_000_000_000
        world.set(3, .after(second))
        #expect(world.wheel.advance(to: .after(2 * second)).count == 1)
        #expect(world.wheel.advance(to: .after(3 * second)).isEmpty)
        world.wheel.set(world.timers[3], .after(4 * second))
        #expect(world.wheel.advance(to: .after(5 * second)).count == 1)
    }

    @Test func deadlineMovedEarlierFiresEarlier() {
        var world = World(now: 0)
        let second: UInt64 = 1_000_000_000
        world.set(0, .after(40 * second))
        world.set(0, .after(second))
        #expect(world.wheel.advance(to: .after(second + World.tick)).count == 1)
    }

    @Test func deadlineMovedLaterDoesNotFireAtOldTime() {
        var world = World(now: 0)
        let second: UInt64 = 1_000_000_000
        world.set(0, .after(second))
        world.set(0, .after(40 * second))
        #expect(world.wheel.advance(to: .after(39 * second)).isEmpty)
        #expect(world.wheel.advance(to: .after(40 * second + World.tick)).count == 1)
    }

    @Test func retiredTimerDoesNotFireAndReleasesTarget() {
        var wheel = TimerWheel(now: 0)
        let timer = WheelTimer()
        weak var gone: Target?
        do {
            let target = Target()
            timer.target = target
            gone = target
        }
        wheel.set(timer, 1)
        #expect(gone != nil)
        wheel.retire(timer)
        #expect(gone == nil)
        #expect(timer.deadline == WheelTimer.never)
        #expect(wheel.advance(to: .after(10 * TimerWheel.tickLength)).isEmpty)
    }
}
