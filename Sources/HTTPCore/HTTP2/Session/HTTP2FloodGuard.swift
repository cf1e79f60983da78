/// Counts frames that cost a peer almost nothing, and us more, each kind against its rate.
struct HTTP2FloodGuard: Sendable {
    /// Nanoseconds; never set back.
    var now: UInt64 = 0
    private var resets: EventRate
    private var refusals: EventRate
    private var controls: EventRate
    private var emptyFrames: EventRate
    private var windowUpdates: EventRate
    private let windowUpdatesPerFrame: Int

    init(_ limits: HTTP2Limits.Floods) {
        resets = EventRate(limits.resets)
        refusals = EventRate(limits.refusals)
        controls = EventRate(limits.controls)
        emptyFrames = EventRate(limits.emptyFrames)
        windowUpdates = EventRate(limits.windowUpdates)
        windowUpdatesPerFrame = limits.windowUpdatesPerFrame
    }

    // MARK: What a peer does

    /// A stream was reset, by a client or because of it: returns whether that is within the limit.
    mutating func allowsReset() -> Bool { resets.allows(at: now) }

    mutating func countRefusal() throws(HTTP2Violation) {
        guard refusals.allows(at: now) else { throw .flood("there are too many streams above the limit") }
    }

    mutating func countControl() throws(HTTP2Violation) {
        guard controls.allows(at: now) else { throw .flood("there are too many control frames") }
    }

    mutating func countEmptyFrame() throws(HTTP2Violation) {
        guard emptyFrames.allows(at: now) else { throw .flood("there are too many empty DATA frames") }
    }

    mutating func countWindowUpdate() throws(HTTP2Violation) {
        guard windowUpdates.allows(at: now) else { throw .flood("there are too many WINDOW_UPDATE frames") }
    }

    // MARK: Credits

    /// Clients that still build the priority tree of RFC 7540 send some PRIORITY for each stream.
    mutating func streamOpened() { controls.give(back: 2) }

    mutating func dataSent() { windowUpdates.give(back: windowUpdatesPerFrame) }
}
