import NIOCore
package import Time

/// What a loop knows of the time without reading a clock: as it was at the last tick, or when the loop was woken.
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

/// When a loop ticks next. It ticks at each tick of the timer wheel while somebody asks it for the time, and else sleeps
/// until a deadline: an idle loop costs nothing.
struct LoopTicker {
    /// Whether the time was asked for since the last tick, so that the next one comes in time. A loop that was never
    /// started never ticks, and needs no waking.
    var isAwake = true
    /// Whether the next tick is further away than one tick of the wheel: the clocks are not those of now.
    var isSleeping = false
    var next: Scheduled<Void>?
    /// Ticks so far.
    var count: UInt64 = 0
}

/// All that is done on a loop at some time is done by one of these clocks, and each wakes a loop that sleeps before it
/// answers: no deadline, date or age is reckoned from the time at which the loop fell asleep.
extension LoopContext {
    package func now() -> MonotonicTime {
        if !ticker.isAwake { wake() }
        return Clock.monotonic()
    }

    /// The moment of the last tick: for what may be a tick late and need not read a clock.
    package var lastTick: MonotonicTime {
        if !ticker.isAwake { wake() }
        return clocks.moment
    }

    /// Now, as a Date field says it.
    package var date: [UInt8] {
        if !ticker.isAwake { wake() }
        return clocks.date
    }

    /// The time at a moment of the monotonic clock. The two are compared at each tick, so that a request reads one
    /// clock and a change of the system's time is followed at once.
    package func unixTime(at monotonic: MonotonicTime) -> UnixTime {
        if !ticker.isAwake { wake() }
        return clocks.unixTime(at: monotonic)
    }

    // MARK: Ticks

    /// Begins the loop's ticks: timeouts, the date, and log lines on their way out.
    package func start() {
        // Not weak: an object with weak references counts all others the slow way, and each request has a hundred.
        timers.wake = { [unowned self] in wake() }
        tick()
    }

    /// Has the next tick come within a tick of the wheel.
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
        // The delegate is held until the tick: a worker that nobody else holds any more still has its ticks.
        let bound = NIOLoopBound((loop: self, delegate: delegate), eventLoop: eventLoop)
        ticker.next = eventLoop.scheduleTask(in: .nanoseconds(Int64(nanoseconds))) { bound.value.loop.tick() }
    }
}
