import Authorization
import HTTPCore
import Testing

@testable import Proxy
@testable import Tenants

/// A request's states, and what each event leads to.
struct RequestLifecycleTests {
    // MARK: Deciding

    @Test func waitingRequestIsResumedUnchanged() throws {
        var life = try LifecycleSample.deciding()
        let request = ReceivedRequest()
        life.waits(request)
        let ended = life.stepEnded()
        #expect(ended === request)
        let again = life.stepEnded()
        #expect(again == nil, "it waits no more")
    }

    @Test func requestWaitingForRefreshIsResumedUnchanged() throws {
        var life = try LifecycleSample.deciding()
        let request = ReceivedRequest()
        life.waits(request)
        life.waitsForRefresh(try LifecycleSample.attempt())
        let ended = life.stepEnded()
        #expect(ended === request)
    }

    @Test func queryEndsOnce() throws {
        var life = try LifecycleSample.deciding()
        life.waitsForDecisionQuery()
        let step = life.stepEnded()
        #expect(step == nil, "an decisionQuery is no step")
        let ends = [life.decisionQueryEnded(), life.decisionQueryEnded()]
        #expect(ends == [true, false])
    }

    // MARK: Forwarding

    @Test func serverIsAssignedAfterGrant() throws {
        var life = try LifecycleSample.deciding()
        life.granted(ResponseHolds())
        guard case .waitingForServer = life.state else { return #expect(Bool(false), "it waits for a server") }
        guard case .complete = life.serverTaken() else { return #expect(Bool(false), "there is no body") }
        guard case .streaming = life.state else { return #expect(Bool(false), "a server has it") }
        #expect(life.body.isComplete && life.awaitsResponse)
    }

    @Test func requestWithoutResponseMayBeRetried() throws {
        var life = try LifecycleSample.streaming()
        life.triesAgain()
        guard case .waitingForServer = life.state else { return #expect(Bool(false), "it waits for a server") }
        _ = life.serverTaken()
        #expect(life.awaitsResponse && life.mistake == nil)
    }

    @Test func replayedRequestIsDecidedAgain() throws {
        var life = try LifecycleSample.refreshing()
        life.replays(nil)
        #expect(life.mistake == nil)
        guard case .deciding = life.state else { return #expect(Bool(false), "it is decided on") }
    }

    @Test func onlyForwardingEndpointReleasesRequest() throws {
        var kept = try LifecycleSample.deciding()
        kept.endpointTaken(try LifecycleSample.call())
        let none = kept.endpointPassedOn(nil)
        #expect(none == nil && kept.mistake != nil)
        var forwarded = try LifecycleSample.deciding()
        let request = ReceivedRequest()
        forwarded.endpointTaken(try LifecycleSample.call(forwarding: request))
        let passed = forwarded.endpointPassedOn(BufferedBody(.init(string: "x")))
        #expect(passed === request)
        forwarded.granted(ResponseHolds())
        guard case .atHand(let content) = forwarded.serverTaken() else {
            return #expect(Bool(false), "its body is at hand")
        }
        #expect(content.bytes.readableBytes == 1)
    }

    // MARK: Bodies

    @Test func bodyIsCountedAgainstTheLimit() throws {
        var life = try LifecycleSample.streaming(.chunked)
        let taken = [life.bodyReceived(5, limit: 10), life.bodyReceived(5, limit: 10), life.bodyReceived(1, limit: 10)]
        #expect(taken == [true, true, false])
        #expect(life.body.count == 11)
    }

    @Test func remainingBodyIsKnown() throws {
        var life = try LifecycleSample.streaming(.length(10))
        _ = life.bodyReceived(4, limit: nil)
        #expect(life.body.rest == 6)
        life.bodyEnded()
        #expect(life.body.rest == 0)
        let chunked = try LifecycleSample.streaming(.chunked)
        #expect(chunked.body.rest == nil)
    }

    // MARK: The client's connection

    /// Whether the client's connection stays open after a response that follows at once.
    private func stays(
        _ framing: RequestFraming,
        keepsAlive: Bool = true,
        expectsContinue: Bool = false,
        draining: Bool = false
    ) throws -> Bool {
        var life = try LifecycleSample.streaming(framing, keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return life.responseStarted(draining: draining)
    }

    @Test func connectionIsKeptOnlyIfClientIsInStep() throws {
        #expect(try stays(.none))
        #expect(try !stays(.none, keepsAlive: false))
        #expect(try !stays(.none, draining: true))
        #expect(try !stays(.length(1), expectsContinue: true), "it may send its body or leave it out")
        #expect(try stays(.none, expectsContinue: true), "there is no body to wait with")
    }

    @Test func forwardedContinueKeepsClientInStep() throws {
        for isPassedOn in [false, true] {
            var life = try LifecycleSample.streaming(.length(1), expectsContinue: true)
            if isPassedOn { life.continuePassedOn() } else { _ = life.bodyReceived(1, limit: nil) }
            let stays = life.responseStarted(draining: false)
            #expect(stays)
        }
    }

    @Test func restOfBodyIsDroppedAfterEarlyResponse() throws {
        var life = try LifecycleSample.streaming(.length(5))
        _ = life.responseStarted(draining: false)
        #expect(life.responseEnded() == .dropRestOfBody)
        guard case .finishing = life.state else { return #expect(Bool(false), "the body is read past") }
    }

    @Test func closeDelimitedResponseClosesConnection() throws {
        var life = try LifecycleSample.streaming()
        _ = life.responseStarted(draining: false)
        life.responseEndsConnection()
        #expect(life.responseEnded() == .close)
    }

    @Test(arguments: [
        (RequestFraming.none, 0, false, ClientConnectionFate.keep), (.length(10), 100, false, .dropRestOfBody),
        (.length(101), 100, false, .close), (.chunked, 100, false, .close), (.none, 0, true, .close),
    ])
    func ownResponseKeepsConnectionIfRestIsSmall(
        framing: RequestFraming,
        most: Int,
        closing: Bool,
        fate: ClientConnectionFate
    ) throws {
        var life = try LifecycleSample.deciding(framing)
        #expect(life.respond(draining: false, closing: closing, mostRest: most) == fate)
    }

    // MARK: Losses

    @Test func lostServerResponseDependsOnWhatWasSent() throws {
        var life = try LifecycleSample.streaming()
        #expect(life.serverLost() == .refuse)
        _ = life.responseStarted(draining: false)
        #expect(life.serverLost() == .cut)
        _ = life.responseEnded()
        #expect(life.serverLost() == .nothing)
        var tunnel = try LifecycleSample.streaming()
        tunnel.switched(to: try LifecycleSample.tunnel())
        #expect(tunnel.serverLost() == .endTunnel)
        let held = try LifecycleSample.holding(.init(status: 200, isReadableJSON: false))
        #expect(held.serverLost() == .refuse)
    }

    /// The server that closed may have signed the caller out, and the client cannot try again.
    @Test func clientLeavingDuringRetriedSignOutIsSignedOut() throws {
        let caller = try LifecycleSample.caller()
        var life = try LifecycleSample.streaming(.none, holds: ResponseHolds(signOut: [caller]))
        life.triesAgain()
        let tried = life.clientLost().signsOut
        #expect(tried?.first === caller)
        var unsent = try LifecycleSample.deciding(.none)
        unsent.granted(ResponseHolds(signOut: [caller]))
        let waiting = unsent.clientLost().signsOut
        #expect(waiting == nil, "no server has seen it")
    }

    @Test func clientLeavingBeforeSignOutResponseIsSignedOut() throws {
        let caller = try LifecycleSample.caller()
        var life = try LifecycleSample.streaming(.none, holds: ResponseHolds(signOut: [caller]))
        let loss = life.clientLost()
        #expect(loss.wasUnderWay && loss.signsOut?.first === caller)
        var unsent = try LifecycleSample.streaming(.length(1), holds: ResponseHolds(signOut: [caller]))
        #expect(unsent.clientLost().signsOut == nil, "the server cannot have acted on half a request")
        var idle = RequestLifecycle()
        #expect(!idle.clientLost().wasUnderWay)
    }

    // MARK: Deadlines

    @Test func deadlineBlamesLateSide() throws {
        var life = try LifecycleSample.deciding(.length(5))
        #expect(life.deadlineMet(serverTakesBody: true) == .closeSlowClient)
        life.granted(ResponseHolds())
        #expect(life.deadlineMet(serverTakesBody: true) == .refuse(.overloaded))
        _ = life.serverTaken()
        #expect(life.deadlineMet(serverTakesBody: true) == .refuse(.bodyTimeout))
        #expect(life.deadlineMet(serverTakesBody: false) == .refuse(.serverTakesNothing))
        life.bodyEnded()
        #expect(life.deadlineMet(serverTakesBody: true) == .closeSlowClient)
        _ = life.responseStarted(draining: false)
        #expect(life.deadlineMet(serverTakesBody: true) == .closeSlowClient)
        _ = life.responseEnded()
        #expect(life.deadlineMet(serverTakesBody: true) == .nothing)
        var endpoint = try LifecycleSample.deciding()
        endpoint.endpointTaken(try LifecycleSample.call())
        #expect(endpoint.deadlineMet(serverTakesBody: true) == .refuse(.overloaded))
    }

    // MARK: Revocation

    @Test func revokedCallerLosesLongResponses() throws {
        var life = try LifecycleSample.deciding()
        #expect(life.callerRevoked(isLong: true) == .nothing, "it is decided on again")
        life.granted(ResponseHolds())
        #expect(life.callerRevoked(isLong: false) == .lookAgain)
        #expect(life.callerRevoked(isLong: true) == .refuse)
        _ = life.serverTaken()
        #expect(life.callerRevoked(isLong: false) == .lookAgain)
        #expect(life.callerRevoked(isLong: true) == .refuse)
        _ = life.responseStarted(draining: false)
        #expect(life.callerRevoked(isLong: false) == .lookAgain)
        #expect(life.callerRevoked(isLong: true) == .cut)
        var tunnel = try LifecycleSample.streaming()
        tunnel.switched(to: try LifecycleSample.tunnel())
        #expect(tunnel.callerRevoked(isLong: false) == .endTunnel)
    }

    @Test func responseEndingSessionIsDelivered() throws {
        var life = try LifecycleSample.holding(.init(status: 204, isReadableJSON: false))
        #expect(life.callerRevoked(isLong: true) == .nothing)
        _ = life.holdEnded()
        #expect(life.callerRevoked(isLong: true) == .nothing)
    }
}
