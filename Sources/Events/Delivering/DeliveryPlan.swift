import Time

/// Which places of a queue an instance works on at once, and which wait for that in memory: as many of each receiver as
/// its health allows, so that one that is slow or down holds up no other. A value without I/O.
///
/// Receivers that lag have half of all places at most, together: however many there are, one that answers has places.
struct DeliveryPlan: Sendable {
    struct Limits: Sendable {
        /// Places worked on at once.
        var total = 64
        /// … for the webhook, where it is the only receiver.
        var webhook = ReceiverHealth.mostOfEvents
        /// Places that wait in memory.
        var waiting = 1024
        /// … of one receiver, and of one that lags.
        var waitingOfOne = 64
        var waitingOfLagging = 8
        /// Receivers whose health is known.
        var receivers = 2048
    }

    /// What becomes of a place that was found in the queue.
    enum Offer: Sendable, Equatable {
        case start
        /// It waits in memory.
        case kept
        /// It stays in the queue, to be found again.
        case passedOver
        /// It is worked on, or waits, already.
        case known
    }

    private struct Lane: Sendable {
        var health: ReceiverHealth
        var running = 0
        var waiting = 0

        var isIdle: Bool { running == 0 && waiting == 0 }
    }

    private struct Running: Sendable {
        let receiver: OutboxReceiverID
        /// At the start.
        let isLagging: Bool
    }

    private let limits: Limits
    private var lanes: [OutboxReceiverID: Lane] = [:]
    /// By the place's name.
    private var running: [String: Running] = [:]
    private var laggingRunning = 0
    private var waiting: [OutboxRecords.Place] = []
    private var waitingNames: Set<String> = []

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }
    var receiverCount: Int { lanes.count }

    /// Whether there is no use in looking further: all places are taken, or all that there are for the only receiver.
    ///
    /// - Parameter only: The only receiver of the channel; nil if it has many.
    func isFull(_ only: OutboxReceiverID?, at now: UnixTime) -> Bool {
        if running.count >= limits.total { return true }
        return only.map { !canStart(known($0), at: now) } ?? false
    }

    /// A due place was found.
    mutating func offer(_ place: OutboxRecords.Place, at now: UnixTime) -> Offer {
        guard running[place.name] == nil, !waitingNames.contains(place.name) else { return .known }
        makeRoom(for: place.receiver)
        var lane = known(place.receiver)
        defer { lanes[place.receiver] = lane }
        if lane.waiting == 0, canStart(lane, at: now) {
            start(place, &lane)
            return .start
        }
        let most = lane.health.isLagging ? limits.waitingOfLagging : limits.waitingOfOne
        guard waiting.count < limits.waiting, lane.waiting < most else { return .passedOver }
        waiting.append(place)
        waitingNames.insert(place.name)
        lane.waiting += 1
        return .kept
    }

    /// Takes the first place out that waits and can be worked on now.
    mutating func next(at now: UnixTime) -> OutboxRecords.Place? {
        guard running.count < limits.total,
            let index = waiting.firstIndex(where: { canStart(known($0.receiver), at: now) })
        else { return nil }
        let place = waiting.remove(at: index)
        waitingNames.remove(place.name)
        var lane = known(place.receiver)
        lane.waiting -= 1
        start(place, &lane)
        lanes[place.receiver] = lane
        return place
    }

    /// A receiver has taken a message, or refused it for good.
    mutating func succeeded(_ receiver: OutboxReceiverID, after seconds: Double) {
        lanes[receiver]?.health.succeeded(after: seconds)
    }

    mutating func failed(_ receiver: OutboxReceiverID, at now: UnixTime) {
        lanes[receiver]?.health.failed(at: now)
    }

    /// A place is worked on no longer.
    ///
    /// - Returns: Whether its receiver takes more than waits here.
    mutating func finished(_ name: String, at now: UnixTime) -> Bool {
        guard let ended = running.removeValue(forKey: name) else { return false }
        if ended.isLagging { laggingRunning -= 1 }
        lanes[ended.receiver]?.running -= 1
        return takesMore(ended.receiver, at: now)
    }

    /// Whether a place of this receiver could be started now, and none of it waits here.
    func takesMore(_ receiver: OutboxReceiverID, at now: UnixTime) -> Bool {
        let lane = known(receiver)
        return lane.waiting == 0 && canStart(lane, at: now)
    }

    private func known(_ receiver: OutboxReceiverID) -> Lane {
        lanes[receiver] ?? Lane(health: ReceiverHealth(most: receiver == .webhook ? limits.webhook : nil))
    }

    private func canStart(_ lane: Lane, at now: UnixTime) -> Bool {
        guard running.count < limits.total, lane.running < lane.health.limit(at: now) else { return false }
        return !lane.health.isLagging || laggingRunning < limits.total / 2
    }

    private mutating func start(_ place: OutboxRecords.Place, _ lane: inout Lane) {
        let isLagging = lane.health.isLagging
        running[place.name] = Running(receiver: place.receiver, isLagging: isLagging)
        if isLagging { laggingRunning += 1 }
        lane.running += 1
    }

    /// Forgets receivers where there are too many: first those that are well, which loses nothing.
    private mutating func makeRoom(for receiver: OutboxReceiverID) {
        guard lanes[receiver] == nil, lanes.count >= limits.receivers else { return }
        lanes = lanes.filter { !$0.value.isIdle || $0.value.health.failures > 0 }
        if lanes.count >= limits.receivers { lanes = lanes.filter { !$0.value.isIdle } }
    }
}
