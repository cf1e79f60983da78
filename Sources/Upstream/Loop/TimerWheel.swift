package import Time

/// A deadline that is moved far more often than it is met. Moving it later costs one store: the wheel checks the timer
/// in its old slot and moves it then.
package final class WheelTimer {
    /// ``never`` while the timer is not set.
    package fileprivate(set) var deadline = WheelTimer.never
    fileprivate var slot = -1
    fileprivate var position = 0
    /// The tick at which the wheel will check it.
    fileprivate var tick: UInt64 = 0
    /// Strong, because weak references would slow down every retain and release of the target; ``TimerWheel`` releases
    /// it when the timer is retired.
    package var target: (any WheelTimerTarget)?

    package static let never = MonotonicTime.distantFuture

    package init() {}

    /// Whether the deadline is met at `now`; if so it is cleared. Another target of the same tick may have moved it
    /// since the wheel returned this timer.
    func takeDeadline(at now: MonotonicTime) -> Bool {
        guard deadline <= now else { return false }
        deadline = WheelTimer.never
        return true
    }
}

/// Called when a deadline is met. Its timer is out of the wheel then, and may be set again.
package protocol WheelTimerTarget: AnyObject {
    func deadlineMet()
}

/// The coarse timers of one event loop: a wheel of slots, one per tick. Timeouts come up to one tick late and never
/// early.
package struct TimerWheel {
    /// Nanoseconds.
    static let tickLength: UInt64 = 50_000_000
    private static let slotCount = 1024

    private var slots: [[WheelTimer]] = Array(repeating: [], count: slotCount)
    private var currentTick: UInt64
    /// The tick until which the wheel is not advanced; 0 while it is advanced at every tick.
    private var sleepsUntil: UInt64 = 0
    /// Called when a timer needs an earlier advance than planned. Must not touch the wheel.
    package var wake: (() -> Void)?

    init(now: MonotonicTime) {
        currentTick = now.nanoseconds / Self.tickLength
    }

    /// Sets the timer's deadline, in nanoseconds of the same clock; ``WheelTimer/never`` clears it.
    package mutating func set(_ timer: WheelTimer, _ deadline: MonotonicTime) {
        timer.deadline = deadline
        guard deadline != WheelTimer.never else { return }
        let tick = deadline.nanoseconds / Self.tickLength + 1
        // In the wheel and checked early enough: the common case.
        if timer.slot >= 0 && timer.tick <= tick { return }
        remove(timer)
        insert(timer, tick)
    }

    /// Takes the timer out for good and releases its target.
    package mutating func retire(_ timer: WheelTimer) {
        remove(timer)
        timer.deadline = WheelTimer.never
        timer.target = nil
    }

    private mutating func remove(_ timer: WheelTimer) {
        guard timer.slot >= 0 else { return }
        let last = slots[timer.slot].removeLast()
        if last !== timer {
            slots[timer.slot][timer.position] = last
            last.position = timer.position
        }
        timer.slot = -1
    }

    /// Announces that the wheel is not advanced until a timer needs it, or it has gone round.
    ///
    /// - Returns: When to advance it next.
    package mutating func sleep() -> MonotonicTime {
        let last = currentTick + UInt64(Self.slotCount) - 1
        let next = (currentTick + 1..<last).first { !slots[Int($0 % UInt64(Self.slotCount))].isEmpty }
        sleepsUntil = next ?? last
        return MonotonicTime(nanoseconds: sleepsUntil * Self.tickLength)
    }

    /// Takes out the timers whose deadline is met at `now`. The caller then calls each target whose
    /// ``WheelTimer/takeDeadline(at:)`` is still true.
    package mutating func advance(to now: MonotonicTime) -> [WheelTimer] {
        var met: [WheelTimer] = []
        sleepsUntil = 0
        let nowTick = now.nanoseconds / Self.tickLength
        // After a long stall one round checks every slot.
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
        // A deadline past the wheel's end is checked there and goes round again.
        let tick = min(max(wanted, currentTick + 1), currentTick + UInt64(Self.slotCount) - 1)
        timer.tick = tick
        timer.slot = Int(tick % UInt64(Self.slotCount))
        timer.position = slots[timer.slot].count
        slots[timer.slot].append(timer)
        if tick < sleepsUntil { wake?() }
    }
}
