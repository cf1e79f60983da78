package import Time

/// A deadline that is moved far more often than it is met. Moving it later costs one store: the wheel looks at it where
/// it was put and takes it along.
package final class WheelTimer {
    /// ``never`` while nothing is waited for.
    package fileprivate(set) var deadline = WheelTimer.never
    fileprivate var slot = -1
    fileprivate var place = 0
    /// The tick at which the wheel will look at it.
    fileprivate var tick: UInt64 = 0
    /// Strong, because a weak reference would make every retain and release of the target a slow one; ``TimerWheel``
    /// lets go of it when the timer is retired.
    package var target: (any WheelTimerTarget)?

    package static let never = MonotonicTime.distantFuture

    package init() {}

    /// Whether the deadline is met at `now`; if so it is out of force. What others were told in the same tick may have
    /// moved it since the wheel gave this timer out.
    func takeDeadline(at now: MonotonicTime) -> Bool {
        guard deadline <= now else { return false }
        deadline = WheelTimer.never
        return true
    }
}

/// Who is told that a deadline was met. Its timer is out of the wheel then, and may be set again.
package protocol WheelTimerTarget: AnyObject {
    func deadlineMet()
}

/// The coarse timers of one event loop: a wheel of slots, one a tick. Timeouts come up to a tick late and never early.
package struct TimerWheel {
    /// Nanoseconds.
    static let tickLength: UInt64 = 50_000_000
    private static let slotCount = 1024

    private var slots: [[WheelTimer]] = Array(repeating: [], count: slotCount)
    private var currentTick: UInt64
    /// The tick before which nobody advances the wheel; 0 while it is advanced at every tick.
    private var sleepsUntil: UInt64 = 0
    /// Called when a timer needs the wheel earlier than it would be advanced. Must not touch the wheel.
    package var wake: (() -> Void)?

    init(now: MonotonicTime) {
        currentTick = now.nanoseconds / Self.tickLength
    }

    /// Sets the timer's deadline, in nanoseconds of the same clock; ``WheelTimer/never`` takes it out of force.
    package mutating func set(_ timer: WheelTimer, _ deadline: MonotonicTime) {
        timer.deadline = deadline
        guard deadline != WheelTimer.never else { return }
        let tick = deadline.nanoseconds / Self.tickLength + 1
        // In the wheel and looked at early enough: the common case.
        if timer.slot >= 0 && timer.tick <= tick { return }
        remove(timer)
        insert(timer, tick)
    }

    /// Takes the timer out for good and lets go of its target.
    package mutating func retire(_ timer: WheelTimer) {
        remove(timer)
        timer.deadline = WheelTimer.never
        timer.target = nil
    }

    private mutating func remove(_ timer: WheelTimer) {
        guard timer.slot >= 0 else { return }
        let last = slots[timer.slot].removeLast()
        if last !== timer {
            slots[timer.slot][timer.place] = last
            last.place = timer.place
        }
        timer.slot = -1
    }

    /// Announces that nobody advances the wheel until there is a timer to look at, or it has gone round.
    ///
    /// - Returns: When to advance it next.
    package mutating func sleep() -> MonotonicTime {
        let last = currentTick + UInt64(Self.slotCount) - 1
        let next = (currentTick + 1..<last).first { !slots[Int($0 % UInt64(Self.slotCount))].isEmpty }
        sleepsUntil = next ?? last
        return MonotonicTime(nanoseconds: sleepsUntil * Self.tickLength)
    }

    /// Takes out the timers whose deadline is met at `now`. The caller tells each target for whose timer
    /// ``WheelTimer/takeDeadline(at:)`` still says so by then.
    package mutating func advance(to now: MonotonicTime) -> [WheelTimer] {
        var met: [WheelTimer] = []
        sleepsUntil = 0
        let nowTick = now.nanoseconds / Self.tickLength
        // After a long stall one round looks at every slot.
        let first = max(currentTick + 1, nowTick >= UInt64(Self.slotCount) ? nowTick - UInt64(Self.slotCount) + 1 : 0)
        guard first <= nowTick else { return met }
        for tick in first...nowTick {
            let slot = Int(tick % UInt64(Self.slotCount))
            guard !slots[slot].isEmpty else { continue }
            let timers = slots[slot]
            slots[slot] = []
            for timer in timers {
                timer.slot = -1
                if timer.deadline == WheelTimer.never { continue }
                if timer.deadline <= now {
                    met.append(timer)
                } else {
                    currentTick = tick
                    insert(timer, timer.deadline.nanoseconds / Self.tickLength + 1)
                }
            }
        }
        currentTick = nowTick
        return met
    }

    private mutating func insert(_ timer: WheelTimer, _ wanted: UInt64) {
        // What lies past the wheel's end is looked at there and goes round again.
        let tick = min(max(wanted, currentTick + 1), currentTick + UInt64(Self.slotCount) - 1)
        timer.tick = tick
        timer.slot = Int(tick % UInt64(Self.slotCount))
        timer.place = slots[timer.slot].count
        slots[timer.slot].append(timer)
        if tick < sleepsUntil { wake?() }
    }
}
