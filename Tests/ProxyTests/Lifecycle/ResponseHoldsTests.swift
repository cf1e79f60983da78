import NIOCore
import Tenants
import Testing

@testable import Proxy

/// What responses wait for, and in which order.
struct ResponseHoldsTests {
    private let success = ResponseSummary(status: 200, isReadableJSON: true)
    private let refused = ResponseSummary(status: 401, isReadableJSON: true)
    private let failed = ResponseSummary(status: 500, isReadableJSON: true)

    /// The names of the steps that a response goes through, each ended as soon as it begins, and of what its body is
    /// gathered for.
    private func order(_ holds: ResponseHolds, _ response: ResponseSummary) throws -> [String] {
        var life = try LifecycleSample.streaming(.none, holds: holds)
        var names: [String] = []
        while life.hasHolds, let hold = life.responseHeadReceived(response) {
            switch hold {
            case .refresh: names.append("refresh")
            case .registration: names.append("registration")
            case .signOut: names.append("sign-out")
            }
            _ = life.holdEnded()
        }
        _ = life.responseStarted(draining: false, room: ReplayBudget(100))
        if life.isGathering { names.append("capture") }
        return names
    }

    private func all() throws -> ResponseHolds {
        ResponseHolds(
            refresh: try LifecycleSample.kept(),
            capture: try LifecycleSample.captureRule(),
            registration: LifecycleSample.identity,
            signOut: try LifecycleSample.caller()
        )
    }

    @Test func holdsComeInTheOrderOfTheList() throws {
        #expect(try order(all(), success) == ["registration", "sign-out", "capture"])
    }

    @Test func unauthorizedResponseWaitsForARefreshAlone() throws {
        #expect(try order(all(), refused) == ["refresh"])
    }

    @Test func failedResponseWaitsForNothing() throws {
        #expect(try order(all(), failed) == [])
    }

    @Test func nothingIsAskedTwice() throws {
        var holds = try all()
        _ = holds.next(refused)
        #expect(holds.next(refused) == nil && holds.isEmpty)
    }

    @Test func emptyHoldsAreNone() {
        var holds = ResponseHolds()
        #expect(holds.isEmpty && holds.next(success) == nil)
    }

    @Test func bodyIsGatheredOnlyOfReadableSuccess() throws {
        for (response, isGathered) in [
            (success, true), (failed, false), (ResponseSummary(status: 200, isReadableJSON: false), false),
        ] {
            let holds = ResponseHolds(capture: try LifecycleSample.captureRule())
            var life = try LifecycleSample.streaming(.none, holds: holds)
            let hold = life.responseHeadReceived(response)
            #expect(hold == nil)
            _ = life.responseStarted(draining: false, room: ReplayBudget(100))
            #expect(life.isGathering == isGathered)
        }
    }

    @Test func gatheredBytesArePassedOnOnce() throws {
        let holds = ResponseHolds(capture: try LifecycleSample.captureRule())
        var life = try LifecycleSample.streaming(.none, holds: holds)
        _ = life.responseHeadReceived(success)
        _ = life.responseStarted(draining: false, room: ReplayBudget(100))
        let isKept = life.gather(ByteBuffer(string: "abc"), 0..<3)
        let passed = [life.passGathered(), life.passGathered()]
        #expect(isKept && passed == [ByteBuffer(string: "abc"), nil])
        #expect(life.isGathering == false)
    }

    @Test func droppedRequestGivesItsRoomBack() throws {
        let room = ReplayBudget(100)
        var life = try LifecycleSample.streaming(.none, holds: ResponseHolds(refresh: try LifecycleSample.kept(room)))
        let hold = life.responseHeadReceived(failed)
        #expect(hold == nil && life.keptRequest == nil && room.left == 100)
    }
}
