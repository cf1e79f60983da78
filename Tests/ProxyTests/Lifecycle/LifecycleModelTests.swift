import Authorization
import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// Requests with random possible events, checked by an observer that sees only input and output.
struct LifecycleModelTests {
    /// One request as seen from outside.
    private struct Seen {
        var responses = 0
        var heads = 0
        var ends = 0
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func requestsKeepInvariants(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let room = ReplayBudget(1000)
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let head = RequestPipeline.request("/a", method: "POST", lines: ["Content-Length: 4"])
        let caller = try LifecycleSample.caller()
        let rule = try LifecycleSample.captureRule()
        let adoption = try LifecycleSample.adoption()
        for _ in 0..<400 {
            var life = RequestLifecycle()
            var seen = Seen()
            // Nothing is left of a former request: a new one has neither a body nor anything to wait for.
            #expect(life.body == RequestBody() && life.keptRequest == nil && life.refresh == nil && !life.hasHolds)
            life.headReceived(.length(4), keepsAlive: random.below(4) > 0, expectsContinue: random.below(4) == 0)
            func holds() throws -> ResponseHolds {
                var kept: ReplayableRequest?
                if random.below(2) == 0 {
                    kept = ReplayableRequest(try pipeline.routed(head), limit: 100, room: room, spare: SpareRequests())
                }
                return ResponseHolds(
                    refresh: kept,
                    capture: random.below(3) == 0 ? rule : nil,
                    registration: random.below(3) == 0 ? LifecycleSample.identity : nil,
                    signOut: random.below(3) == 0 ? [caller] : nil,
                    adoption: random.below(3) == 0 ? adoption : nil
                )
            }
            for _ in 0..<60 {
                guard life.isUnderWay else { break }
                let next = try holds()
                try step(&life, &seen, &random, next, room)
            }
            let stillUnderWay = life.isUnderWay
            let loss = life.clientLost()
            #expect(loss.wasUnderWay == stillUnderWay)
            #expect(seen.responses <= 1 && seen.heads <= 1 && seen.ends <= seen.heads, "one response a request")
            #expect(life.mistake == nil)
            // No action after the end.
            #expect(life.serverLost() == .nothing && life.callerRevoked(isLong: true) == .nothing)
            #expect(life.deadlineMet(serverTakesBody: false) == .nothing && !life.hasHolds && life.refresh == nil)
            #expect(room.left == 1000, "everything that was leased is given back")
        }
    }

    /// One event that can happen in the state.
    private func step(
        _ life: inout RequestLifecycle,
        _ seen: inout Seen,
        _ random: inout SplitMix64,
        _ holds: ResponseHolds,
        _ room: ReplayBudget
    ) throws {
        if random.below(12) == 0, life.awaitsResponse {
            _ = life.respond(draining: random.below(5) == 0, mostRest: random.below(10))
            seen.responses += 1
            return
        }
        switch life.state {
        case .deciding(let deciding):
            switch deciding.wait {
            case .nothing:
                switch random.below(3) {
                case 0: life.waits(ReceivedRequest())
                case 1:
                    let forwarded = random.below(2) == 0 ? ReceivedRequest() : nil
                    life.endpointTaken(try LifecycleSample.call(forwarding: forwarded))
                default: life.granted(holds)
                }
            case .step, .refresh: _ = life.stepEnded()
            case .decisionQuery: _ = life.decisionQueryEnded()
            }
        case .waitingForServer: _ = life.serverTaken()
        case .streaming(let streaming): try stream(&life, streaming, &seen, &random, room)
        case .holding(let holding):
            if case .capture = holding.hold {
                _ = life.captureEnded()
            } else if case .refresh(let kept, _) = holding.hold, random.below(2) == 0 {
                life.replays(BufferedBody(kept))
            } else {
                _ = life.holdEnded()
            }
        case .tunnel: life.end()
        case .receivingHead, .finishing, .done, .broken: break
        }
    }

    private func stream(
        _ life: inout RequestLifecycle,
        _ streaming: RequestLifecycle.Streaming,
        _ seen: inout Seen,
        _ random: inout SplitMix64,
        _ room: ReplayBudget
    ) throws {
        if !life.body.isComplete {
            if random.below(2) == 0 { life.bodyEnded() }
            life.keptRequest?.keep(ByteBuffer(repeating: 1, count: random.below(50)))
        }
        switch streaming.response {
        case .awaited:
            if case .endpoint(let call) = streaming.destination {
                if call.received != nil, random.below(2) == 0 { _ = life.endpointPassedOn(nil) }
                return
            }
            switch random.below(6) {
            case 0: life.triesAgain()
            case 1: life.switched(to: try LifecycleSample.tunnel())
            case 2 where streaming.holds.isEmpty:
                _ = life.responseStarted(draining: false)
                seen.heads += 1
            default: try beginHold(&life, &random, room)
            }
        case .toBeGathered:
            _ = life.responseStarted(draining: false)
            seen.heads += 1
        case .gathering:
            if life.gather(ByteBuffer(repeating: 1, count: 20), 0..<random.below(20)) { return }
            if random.below(2) == 0 { life.holdBegan(.capture(trailers: [])) } else { _ = life.passGathered() }
        case .passing:
            guard random.below(2) == 0 else { return }
            _ = life.responseEnded()
            seen.ends += 1
        }
    }

    /// The head of a response has come; what it waits for begins, or a refresh does not.
    private func beginHold(_ life: inout RequestLifecycle, _ random: inout SplitMix64, _ room: ReplayBudget) throws {
        let response = ResponseSummary(status: random.pick([200, 401, 500]), isReadableJSON: random.below(2) == 0)
        switch life.nextHold(response) {
        case nil: break
        case .refresh(let kept):
            if random.below(4) > 0 { life.holdBegan(.refresh(kept, try LifecycleSample.attempt())) }
        case .registration: life.holdBegan(.registration)
        case .signOut: life.holdBegan(.signOut)
        case .adoption(let attempt): life.holdBegan(.adoption(attempt))
        case .capture(let rule): life.gathers(in: TokenCaptureBuffer(rule, room))
        }
    }
}
