import NIOCore
import Testing

@testable import Upstream

/// Every event in every state: its transition, and that an impossible one changes nothing.
struct BackendStreamStateTests {
    private enum Start: String, CaseIterable {
        case leased, queued, awaitingHead, holding, holdingAll, readingBody, ended
    }

    private typealias Event = StateTable<BackendStreamState, Start>.Event

    private let request: UpstreamRequest

    init() throws { request = UpstreamRequest(loop: try EmbeddedServers().loop) }

    private func state(_ start: Start) -> BackendStreamState {
        let path: [(inout BackendStreamState) -> Bool] =
            switch start {
            case .leased: []
            case .queued: [begin]
            case .awaitingHead: [begin, { $0.opened(3) }]
            case .holding: [begin, { $0.opened(3) }, { $0.held(ReceivedResponse(), isComplete: false) }]
            case .holdingAll: [begin, { $0.opened(3) }, { $0.held(ReceivedResponse(), isComplete: true) }]
            case .readingBody: [begin, { $0.opened(3) }, { $0.responseStarted() }]
            case .ended: [{ $0.end() }]
            }
        return path.lead(from: BackendStreamState())
    }

    private func begin(_ state: inout BackendStreamState) -> Bool { state.begin(request) }

    private func name(_ state: BackendStreamState) -> Start {
        switch state.phase {
        case .leased: .leased
        case .queued: .queued
        case .awaitingHead: .awaitingHead
        case .holding(_, _, let held): if case .complete = held.end { .holdingAll } else { .holding }
        case .readingBody: .readingBody
        case .ended: .ended
        }
    }

    private var events: [Event] {
        [
            Event(name: "begin", ends: [.leased: .queued], apply: begin),
            Event(name: "opened", ends: [.queued: .awaitingHead]) { $0.opened(3) },
            Event(name: "held", ends: [.awaitingHead: .holding]) { $0.held(ReceivedResponse(), isComplete: false) },
            Event(name: "held as a whole", ends: [.awaitingHead: .holdingAll]) {
                $0.held(ReceivedResponse(), isComplete: true)
            },
            Event(name: "heldGrew", ends: [.holding: .holding, .holdingAll: .holdingAll]) {
                $0.heldGrew(ByteBuffer(), flowControlled: 1)
            },
            Event(name: "heldEnded", ends: [.holding: .holdingAll, .holdingAll: .holdingAll]) {
                $0.heldEnded(trailers: [])
            },
            Event(
                name: "responseStarted",
                ends: [.awaitingHead: .readingBody, .holding: .readingBody, .holdingAll: .readingBody]
            ) { $0.responseStarted() },
            Event(
                name: "end",
                ends: Dictionary(uniqueKeysWithValues: Start.allCases.filter { $0 != .ended }.map { ($0, .ended) })
            ) { $0.end() },
        ]
    }

    @Test func eventsFollowStateTable() {
        StateTable(state: state, name: name).expect(events)
    }

    @Test func streamHasIdentifierFromHeadToEnd() {
        for start in Start.allCases {
            let expected: UInt32? = [.leased, .queued, .ended].contains(start) ? nil : 3
            #expect(
                state(start).id == expected && (state(start).request === request) == ![.leased, .ended].contains(start)
            )
        }
    }

    @Test func lostStreamFailsUnlessResponseIsComplete() {
        for start in Start.allCases {
            let missed: String
            switch state(start).lossAction {
            case .nothing: missed = "nobody"
            case .end: missed = "connection"
            case .endBeforeHead(let lost): missed = lost === request ? "head" : "another"
            case .endBody(let lost): missed = lost === request ? "body" : "another"
            }
            let expected =
                switch start {
                case .leased: "connection"
                case .queued, .awaitingHead, .holding: "head"
                case .readingBody: "body"
                case .holdingAll, .ended: "nobody"
                }
            #expect(missed == expected, "\(start)")
        }
    }

    @Test func bufferedDataIsDeliveredWithHeldResponse() {
        var state = state(.holding)
        let grew =
            state.heldGrew(ByteBuffer(string: "a"), flowControlled: 1)
            && state.heldGrew(ByteBuffer(string: "bc"), flowControlled: 2) && state.heldEnded(trailers: [1])
        guard grew, case .holding(_, _, let held) = state.phase, case .complete(let trailers) = held.end else {
            Issue.record("nothing is held")
            return
        }
        #expect(held.pieces.map { String(buffer: $0.bytes) } == ["a", "bc"] && trailers == [1])
    }
}
