import NIOCore
package import Time

/// A loop's times without reading a clock: as of the last tick or wake-up.
package struct LoopClocks {
    package private(set) var moment = Clock.monotonic()
    package private(set) var date: [UInt8] = []
    private var dateSecond: Int64 = 0
    private var unixOffset = 0.0

    package mutating func read() {
        moment = Clock.monotonic()
        unixOffset = Clock.unix().seconds - Double(moment.nanoseconds) / 1_000_000_000
        let second = Int64(unixTime(at: moment).seconds)
        guard second != dateSecond else { return }
        dateSecond = second
        date = HTTPDate.text(UnixTime(Double(second)))
    }

    /// The time at a moment of the monotonic clock.
    package func unixTime(at monotonic: MonotonicTime) -> UnixTime {
        UnixTime(Double(monotonic.nanoseconds) / 1_000_000_000 + unixOffset)
    }
}

/// When a loop ticks next. It ticks with the timer wheel while work asks for the time, and otherwise sleeps until the
/// next deadline: an idle loop costs nothing.
struct LoopTicker {
    /// Whether the time was requested since the last tick, so that the next tick comes in time. A loop that was never
    /// started never ticks, and needs no waking.
    var isAwake = true
    /// Whether the next tick is more than one wheel tick away: the stored times are stale.
    var isSleeping = false
    var next: Scheduled<Void>?
    /// Ticks so far.
    var count: UInt64 = 0
}

/// All work on a loop takes the time from one of these clocks, and each wakes a sleeping loop before it returns: no
/// deadline, date or age is computed from the time at which the loop fell asleep.
extension LoopContext {
    package func now() -> MonotonicTime {
        if !ticker.isAwake { wake() }
        return Clock.monotonic()
    }

    /// The time of the last tick: for uses that tolerate an error of one tick and should not read a clock.
    package var lastTick: MonotonicTime {
        if !ticker.isAwake { wake() }
        return clocks.moment
    }

    /// The current time as a Date field value.
    package var date: [UInt8] {
        if !ticker.isAwake { wake() }
        return clocks.date
    }

    /// The Unix time at a monotonic time. The two clocks are compared at each tick, so that a request reads only one,
    /// and a change of the system time takes effect with the next tick.
    package func unixTime(at monotonic: MonotonicTime) -> UnixTime {
        if !ticker.isAwake { wake() }
        return clocks.unixTime(at: monotonic)
    }

    // MARK: Ticks

    /// Starts the loop's ticks: timeouts, the date, and log output.
    package func start() {
        // Not weak: weak references move an object's reference count into a side table, and each request retains it
        // about a hundred times.
        timers.wake = { [unowned self] in wake() }
        tick()
    }

    /// Has the next tick come within one wheel tick.
    package func wake() {
        ticker.isAwake = true
        guard ticker.isSleeping else { return }
        ticker.isSleeping = false
        clocks.read()
        delegate?.loopWoke(at: clocks.moment)
        tick(in: TimerWheel.tickLength)
    }

    package func stopTicking() {
        timers.wake = nil
        ticker.next?.cancel()
        ticker.next = nil
        ticker.isAwake = true
        ticker.isSleeping = false
    }

    private func tick() {
        let wasAwake = ticker.isAwake
        ticker.isAwake = false
        ticker.isSleeping = false
        ticker.count += 1
        clocks.read()
        let moment = clocks.moment
        for timer in timers.advance(to: moment) where timer.takeDeadline(at: moment) { timer.target?.deadlineMet() }
        let isNextSoon = delegate?.loopTicked(at: moment) == true
        let length = Clock.monotonic() - moment
        if length > Self.longestTurn { noteStall(length) }
        guard wasAwake || ticker.isAwake || isNextSoon else { return sleep(since: moment) }
        tick(in: TimerWheel.tickLength)
    }

    private func sleep(since moment: MonotonicTime) {
        ticker.isSleeping = true
        let next = timers.sleep()
        tick(in: next > moment ? next - moment : TimerWheel.tickLength)
    }

    private func tick(in nanoseconds: UInt64) {
        ticker.next?.cancel()
        // The tick holds the delegate: a worker without other references still gets its ticks.
        let bound = NIOLoopBound((loop: self, delegate: delegate), eventLoop: eventLoop)
        ticker.next = eventLoop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) { bound.value.loop.tick() }
    }
}
