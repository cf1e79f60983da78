import Testing

@testable import Upstream

/// Every event in every state: its transition, and that an impossible one changes nothing.
struct BackendConnectionStateTests {
    private enum Start: String, CaseIterable {
        case opening, idle, leased, awaitingHead, answering, holding, lostWhileHolding, readingBody, tunnel, ending,
            closed
    }

    private typealias Event = StateTable<BackendConnectionState, Start>.Event

    private let request: UpstreamRequest

    init() throws { request = UpstreamRequest(loop: try EmbeddedServers().loop) }

    private func state(_ start: Start) -> BackendConnectionState {
        let path: [(inout BackendConnectionState) -> Bool] =
            switch start {
            case .opening: []
            case .idle: [{ $0.connected() }, { $0.becameIdle() }]
            case .leased: [{ $0.connected() }]
            case .awaitingHead: [{ $0.connected() }, begin]
            case .answering: [{ $0.connected() }, begin, { $0.spoke() }]
            case .holding: [{ $0.connected() }, begin, { $0.held(ReceivedResponse()) }]
            case .lostWhileHolding:
                [{ $0.connected() }, begin, { $0.held(ReceivedResponse()) }, { nothing($0.lost(properly: true)) }]
            case .readingBody: [{ $0.connected() }, begin, { $0.responseStarted(keepsAlive: true) }]
            case .tunnel: [{ $0.connected() }, begin, { $0.switched() }]
            case .ending: [{ $0.connected() }, begin, { $0.switched() }, { $0.tunnelEnded() }]
            case .closed: [{ $0.finished() }]
            }
        return path.lead(from: BackendConnectionState())
    }

    private func begin(_ state: inout BackendConnectionState) -> Bool { state.begin(request) }

    private func nothing(_ action: BackendConnectionState.LossAction) -> Bool {
        if case .nothing = action { true } else { false }
    }

    private func nothing(_ action: BackendConnectionState.DeadlineAction) -> Bool {
        switch action {
        case .nothing, .close: true
        case .timeOut, .breakOff: false
        }
    }

    private func name(_ state: BackendConnectionState) -> Start {
        switch state.phase {
        case .opening: .opening
        case .idle: .idle
        case .leased: .leased
        case .awaitingHead(_, false): .awaitingHead
        case .awaitingHead(_, true): .answering
        case .holding(_, _, .none): .holding
        case .holding: .lostWhileHolding
        case .readingBody: .readingBody
        case .tunnel: .tunnel
        case .ending: .ending
        case .closed: .closed
        }
    }

    private var events: [Event] {
        [
            Event(name: "connected", ends: [.opening: .leased]) { $0.connected() },
            Event(name: "becameIdle", ends: [.leased: .idle]) { $0.becameIdle() },
            Event(name: "becameLeased", ends: [.idle: .leased]) { $0.becameLeased() },
            Event(name: "begin", ends: [.idle: .awaitingHead, .leased: .awaitingHead], apply: begin),
            Event(name: "spoke", ends: [.awaitingHead: .answering, .answering: .answering]) { $0.spoke() },
            Event(name: "held", ends: [.awaitingHead: .holding, .answering: .holding]) {
                $0.held(ReceivedResponse())
            },
            Event(name: "resumed", ends: [.holding: .answering, .lostWhileHolding: .answering]) {
                $0.resumed() != nil
            },
            Event(name: "handedOver", ends: [.awaitingHead: .leased, .answering: .leased, .holding: .leased]) {
                $0.handedOver()
            },
            Event(name: "responseStarted", ends: [.awaitingHead: .readingBody, .answering: .readingBody]) {
                $0.responseStarted(keepsAlive: false)
            },
            Event(name: "responseEnded", ends: [.readingBody: .leased]) { $0.responseEnded() },
            Event(name: "switched", ends: [.awaitingHead: .tunnel, .answering: .tunnel]) { $0.switched() },
            Event(name: "tunnelEnded", ends: [.tunnel: .ending]) { $0.tunnelEnded() },
            Event(name: "finished", ends: all(but: [.closed], to: .closed)) { $0.finished() },
            Event(name: "deadlineMet", ends: [.awaitingHead: .closed, .answering: .closed, .readingBody: .closed]) {
                !nothing($0.deadlineMet())
            },
        ]
    }

    private func all(but others: [Start], to end: Start) -> [Start: Start] {
        Dictionary(uniqueKeysWithValues: Start.allCases.filter { !others.contains($0) }.map { ($0, end) })
    }

    @Test func eventsFollowStateTable() {
        StateTable(state: state, name: name).expect(events)
    }

    @Test func lostConnectionClosesUnlessResponseIsHeld() {
        for start in Start.allCases {
            var state = state(start)
            let action = state.lost(properly: false)
            let missed: String
            switch action {
            case .nothing: missed = "nobody"
            case .leaveIdle: missed = "idle"
            case .leave: missed = "busy"
            case .endTunnel(let lost): missed = lost === request ? "tunnel" : "another"
            case .endBeforeHead(let lost, let isStale): missed = lost === request && !isStale ? "head" : "another"
            case .endBody(let lost): missed = lost === request ? "body" : "another"
            }
            let (expected, end): (String, Start) =
                switch start {
                case .opening, .closed: ("nobody", .closed)
                case .idle: ("idle", .closed)
                case .leased, .ending: ("busy", .closed)
                case .awaitingHead, .answering: ("head", .closed)
                case .holding, .lostWhileHolding: ("nobody", .lostWhileHolding)
                case .readingBody: ("body", .closed)
                case .tunnel: ("tunnel", .closed)
                }
            #expect(missed == expected && name(state) == end, "\(start)")
            #expect(start == .lostWhileHolding || start == .holding || state.request == nil)
        }
    }

    /// A server may close an idle connection, unless it has begun to respond.
    @Test(arguments: [(false, true), (true, false)])
    func reusedConnectionIsStaleUntilServerResponds(_ spoke: Bool, _ expected: Bool) {
        var state = state(.readingBody)
        let isUsedAgain = state.responseEnded() && state.begin(request) && (!spoke || state.spoke())
        #expect(isUsedAgain)
        guard case .endBeforeHead(_, let isStale) = state.lost(properly: true) else {
            Issue.record("the request gets no event")
            return
        }
        #expect(isStale == expected)
    }

    @Test func firstLossWithHeldResponseCounts() {
        var state = state(.lostWhileHolding)
        let isMissed = !nothing(state.lost(properly: false))
        let resumed = state.resumed()
        guard !isMissed, case .proper = resumed?.loss else {
            Issue.record("the second loss counts")
            return
        }
    }

    @Test func closedChannelAcceptsNoRequest() {
        var promised = state(.leased)
        #expect(promised.canBegin)
        let promisedIsActedOn = promised.channelEnded()
        #expect(!promisedIsActedOn && !promised.canBegin)
        var opening = state(.opening)
        let openingIsActedOn = opening.channelEnded()
        let isConnected = opening.connected()
        #expect(openingIsActedOn && !isConnected)
        var idle = state(.idle)
        let idleIsActedOn = idle.channelEnded()
        #expect(idleIsActedOn)
    }

    @Test func deadlineClosesUnusedConnection() {
        for start in Start.allCases {
            var state = state(start)
            let closes = if case .close = state.deadlineMet() { true } else { false }
            #expect(closes == [.idle, .tunnel, .ending].contains(start), "\(start)")
        }
    }
}
