import NIOCore
import Tenants
import Testing

@testable import Proxy

/// What responses wait for, and in which order.
struct ResponseHoldsTests {
    private let success = ResponseSummary(status: 200, isReadableJSON: true)
    private let refused = ResponseSummary(status: 401, isReadableJSON: true)
    private let failed = ResponseSummary(status: 500, isReadableJSON: true)

    @Test(arguments: [
        ("application/json", true), ("Application/JSON; charset=utf-8", true), ("application/problem+json", true),
        ("json", true), ("text/html", false), ("text/html; profile=json", false), ("jso;n", false), ("jso", false),
        ("", false),
    ]) func mediaTypeNamesJSONBeforeItsParameters(_ type: String, isJSON: Bool) {
        let bytes = Array(type.utf8)
        #expect(ResponseSummary.isJSON(bytes.span) == isJSON)
    }

    /// The names of the holds that a response meets, each ended as soon as it begins.
    private func order(_ holds: ResponseHolds, _ response: ResponseSummary) throws -> [String] {
        var life = try LifecycleSample.streaming(.none, holds: holds)
        var names: [String] = []
        while life.hasHolds, let hold = life.nextHold(response) {
            switch hold {
            case .refresh(let kept):
                names.append("refresh")
                life.holdBegan(.refresh(kept, try LifecycleSample.attempt()))
            case .registration:
                names.append("registration")
                life.holdBegan(.registration)
            case .signOut:
                names.append("sign-out")
                life.holdBegan(.signOut)
            case .adoption(let attempt):
                names.append("adoption")
                life.holdBegan(.adoption(attempt))
            case .capture(let rule):
                names.append("capture")
                life.gathers(in: TokenCaptureBuffer(rule, ReplayBudget(100)))
            }
            _ = life.holdEnded()
        }
        #expect(life.mistake == nil)
        return names
    }

    private func all() throws -> ResponseHolds {
        ResponseHolds(
            refresh: try LifecycleSample.kept(),
            capture: try LifecycleSample.captureRule(),
            registration: LifecycleSample.identity,
            signOut: [try LifecycleSample.caller()],
            adoption: try LifecycleSample.adoption()
        )
    }

    @Test func holdsRunRegistrationThenSessionEndThenBody() throws {
        #expect(try order(all(), success) == ["registration", "sign-out", "adoption", "capture"])
    }

    @Test func unreadableBodyIsNotBuffered() throws {
        let unreadable = ResponseSummary(status: 200, isReadableJSON: false)
        #expect(try order(all(), unreadable) == ["registration", "sign-out", "adoption"])
    }

    @Test func unauthorizedResponseWaitsOnlyForRefresh() throws {
        #expect(try order(all(), refused) == ["refresh"])
    }

    @Test func failedResponseWaitsForNothing() throws {
        #expect(try order(all(), failed) == [])
    }

    /// Clients drop what comes with a failure, and a server that refuses the token may mean the next one as well.
    @Test func sessionComesWithAnyOtherResponse() throws {
        for (status, comes) in [
            (200, true), (304, true), (404, true), (429, true), (401, false), (500, false), (503, false),
        ] {
            let holds = ResponseHolds(adoption: try LifecycleSample.adoption())
            let order = try order(holds, ResponseSummary(status: status, isReadableJSON: false))
            #expect(order == (comes ? ["adoption"] : []))
        }
    }

    @Test func everyHoldRunsOnce() throws {
        var holds = try all()
        _ = holds.next(refused)
        #expect(holds.next(refused) == nil && holds.isEmpty)
    }

    @Test func emptyHoldsHoldNothing() {
        var holds = ResponseHolds()
        #expect(holds.isEmpty && holds.next(success) == nil)
    }

    @Test func onlyReadableSuccessIsBuffered() throws {
        for (response, isGathered) in [
            (success, true), (failed, false), (ResponseSummary(status: 200, isReadableJSON: false), false),
        ] {
            var holds = ResponseHolds(capture: try LifecycleSample.captureRule())
            let hold = holds.next(response)
            #expect((hold != nil) == isGathered && holds.isEmpty)
        }
    }

    /// The held response is complete by then, so no one waits for its end.
    @Test func unauthorizedResponseIsNotBufferedAfterRefresh() throws {
        var life = try LifecycleSample.refreshing(capture: try LifecycleSample.captureRule())
        _ = life.holdEnded()
        _ = life.responseStarted(draining: false)
        #expect(life.isGathering == false)
        _ = life.responseEnded()
        #expect(life.mistake == nil)
    }

    @Test func bufferedBytesAreForwardedOnce() throws {
        var life = try LifecycleSample.toBeGathered(in: ReplayBudget(100))
        _ = life.responseStarted(draining: false)
        let isKept = life.gather(ByteBuffer(string: "abc"), 0..<3)
        let passed = [life.passGathered(), life.passGathered()]
        #expect(isKept && passed == [ByteBuffer(string: "abc"), nil])
        #expect(life.isGathering == false)
    }

    @Test func droppedRequestReturnsMemory() throws {
        let room = ReplayBudget(100)
        var life = try LifecycleSample.streaming(.none, holds: ResponseHolds(refresh: try LifecycleSample.kept(room)))
        let hold = life.nextHold(failed)
        #expect(hold == nil && life.keptRequest == nil && room.left == 100)
    }
}
