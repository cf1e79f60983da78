import Authorization
import HTTPCore
import NIOCore
import TestSupport
import Testing

@testable import Proxy
@testable import Upstream

/// Every event in every state: impossible ones are detected, and end the request.
struct LifecycleEventTests {
    private enum Start: CaseIterable {
        case receivingHead, deciding, waiting, inquiring, waitingForServer, endpoint, streaming, sent, toBeGathered,
            passing, holding, refreshing, capturing, tunnel, finishing, done
    }

    private static func life(_ start: Start) throws -> RequestLifecycle {
        var life = RequestLifecycle()
        if start == .receivingHead { return life }
        life = try LifecycleSample.deciding(.length(10))
        switch start {
        case .receivingHead, .deciding: break
        case .waiting: life.waits(ReceivedRequest())
        case .inquiring: life.waitsForDecisionQuery()
        case .waitingForServer: life.granted(ResponseHolds())
        case .endpoint: life.endpointTaken(try LifecycleSample.call(forwarding: ReceivedRequest()))
        case .streaming: life = try LifecycleSample.streaming(.length(10))
        case .sent:
            life = try LifecycleSample.streaming(.length(10))
            life.bodyEnded()
        case .passing:
            life = try LifecycleSample.streaming(.length(10))
            _ = life.responseStarted(draining: false)
        case .toBeGathered: life = try LifecycleSample.toBeGathered(.length(10))
        case .refreshing: life = try LifecycleSample.refreshing(.length(10))
        case .holding:
            life = try LifecycleSample.holding(ResponseSummary(status: 200, isReadableJSON: false), .length(10))
        case .capturing:
            life = try LifecycleSample.toBeGathered(.length(10))
            _ = life.responseStarted(draining: false)
        case .tunnel:
            life = try LifecycleSample.streaming(.length(10))
            life.switched(to: try LifecycleSample.tunnel())
        case .finishing:
            life = try LifecycleSample.streaming(.length(10))
            _ = life.responseStarted(draining: false)
            _ = life.responseEnded()
        case .done: life.end()
        }
        return life
    }

    private struct Event {
        let name: String
        let possibleIn: [Start]
        let apply: (inout RequestLifecycle) throws -> Void
    }

    private static let summary = ResponseSummary(status: 200, isReadableJSON: false)
    private static let beforeAnyResponse: [Start] = [
        .deciding, .waiting, .inquiring, .waitingForServer, .endpoint, .streaming, .sent, .toBeGathered, .holding,
        .refreshing,
    ]
    private static let atServer: [Start] = [.streaming, .sent, .toBeGathered]
    private static let takingBody: [Start] = [
        .endpoint, .streaming, .toBeGathered, .passing, .holding, .refreshing, .capturing,
    ]

    private static var events: [Event] {
        [
            Event(name: "headReceived", possibleIn: [.receivingHead]) {
                $0.headReceived(.none, keepsAlive: true, expectsContinue: false)
            },
            Event(name: "waits", possibleIn: [.deciding]) { $0.waits(ReceivedRequest()) },
            Event(name: "waitsForRefresh", possibleIn: [.waiting]) {
                $0.waitsForRefresh(try LifecycleSample.attempt())
            },
            Event(name: "waitsForDecisionQuery", possibleIn: [.deciding]) { $0.waitsForDecisionQuery() },
            Event(name: "granted", possibleIn: [.deciding]) { $0.granted(ResponseHolds()) },
            Event(name: "serverTaken", possibleIn: [.waitingForServer]) { _ = $0.serverTaken() },
            Event(name: "endpointTaken", possibleIn: [.deciding]) { $0.endpointTaken(try LifecycleSample.call()) },
            Event(name: "endpointPassedOn", possibleIn: [.endpoint]) { _ = $0.endpointPassedOn(nil) },
            Event(name: "bodyReceived", possibleIn: takingBody) { _ = $0.bodyReceived(1, limit: nil) },
            Event(name: "bodyEnded", possibleIn: takingBody) { $0.bodyEnded() },
            Event(name: "continuePassedOn", possibleIn: [.endpoint, .streaming, .sent]) { $0.continuePassedOn() },
            Event(name: "triesAgain", possibleIn: atServer) { $0.triesAgain() },
            Event(name: "nextHold", possibleIn: atServer) { _ = $0.nextHold(summary) },
            Event(name: "holdBegan", possibleIn: atServer) { $0.holdBegan(.registration) },
            Event(name: "holdBegan of the end", possibleIn: [.capturing]) { $0.holdBegan(.capture(trailers: [])) },
            Event(name: "gathers", possibleIn: atServer) {
                $0.gathers(in: TokenCaptureBuffer(try LifecycleSample.captureRule(), ReplayBudget(0)))
            },
            Event(name: "heldResponseTaken", possibleIn: [.holding, .refreshing]) {
                $0.heldResponseTaken(ReceivedResponse())
            },
            Event(name: "replays", possibleIn: [.refreshing]) { $0.replays(nil) },
            Event(name: "responseStarted", possibleIn: atServer) {
                _ = $0.responseStarted(draining: false)
            },
            Event(name: "responseEndsConnection", possibleIn: [.passing, .capturing]) { $0.responseEndsConnection() },
            Event(name: "responseEnded", possibleIn: [.passing]) { _ = $0.responseEnded() },
            Event(name: "respond", possibleIn: beforeAnyResponse) { _ = $0.respond(draining: false, mostRest: nil) },
            Event(name: "switched", possibleIn: atServer) { $0.switched(to: try LifecycleSample.tunnel()) },
        ]
    }

    @Test func impossibleEventsAreCountedAndEndRequest() throws {
        for start in Start.allCases {
            for event in Self.events {
                var life = try Self.life(start)
                try event.apply(&life)
                let isPossible = event.possibleIn.contains(start)
                #expect((life.mistake == nil) == isPossible, "\(event.name) in \(start)")
                guard !isPossible else { continue }
                guard case .broken = life.state else {
                    Issue.record("\(event.name) in \(start) goes on")
                    continue
                }
            }
        }
    }

    /// Events from other parts at any time, which are ignored if they are late.
    @Test func lateEventsAreIgnored() throws {
        for start in [Start.receivingHead, .finishing, .done] {
            var life = try Self.life(start)
            let step = life.stepEnded()
            let decisionQuery = life.decisionQueryEnded()
            let hold = life.holdEnded()
            let capture = life.captureEnded()
            #expect(step == nil && !decisionQuery && hold == nil && capture == nil && life.refresh == nil)
            #expect(life.passGathered() == nil)
            #expect(!life.gather(ByteBuffer(), 0..<0) && life.mistake == nil)
        }
    }
}
