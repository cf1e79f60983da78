import Adoption
import HTTPCore
import ProxyTestSupport
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import IdentityProvider
@testable import Proxy
@testable import Tenants

/// Lifecycles in the states that tests begin in, and what these hold.
enum LifecycleSample {
    static func deciding(
        _ framing: RequestFraming = .none,
        keepsAlive: Bool = true,
        expectsContinue: Bool = false
    ) throws -> RequestLifecycle {
        var life = RequestLifecycle()
        life.headReceived(framing, keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        return life
    }

    static func streaming(
        _ framing: RequestFraming = .none,
        keepsAlive: Bool = true,
        expectsContinue: Bool = false,
        holds: ResponseHolds = ResponseHolds()
    ) throws -> RequestLifecycle {
        var life = try deciding(framing, keepsAlive: keepsAlive, expectsContinue: expectsContinue)
        life.granted(holds)
        _ = life.serverTaken()
        return life
    }

    /// With a response that waits for the end of the caller's session.
    static func holding(_ response: ResponseSummary, _ framing: RequestFraming = .none) throws -> RequestLifecycle {
        var life = try streaming(framing, holds: ResponseHolds(signOut: [try caller()]))
        if life.nextHold(response) != nil { life.holdBegan(.signOut) }
        return life
    }

    /// With a response of 401 that waits for new tokens.
    static func refreshing(_ framing: RequestFraming = .none, capture: TokenCapture? = nil) throws -> RequestLifecycle {
        let kept = try kept()
        var life = try streaming(framing, holds: ResponseHolds(refresh: kept, capture: capture))
        _ = life.nextHold(ResponseSummary(status: 401, isReadableJSON: true))
        life.holdBegan(.refresh(kept, try attempt()))
        return life
    }

    /// With a response that is collected from its beginning.
    static func toBeGathered(_ framing: RequestFraming = .none, in room: ReplayBudget = ReplayBudget(0)) throws
        -> RequestLifecycle
    {
        var life = try streaming(framing)
        life.gathers(in: TokenCaptureBuffer(try captureRule(), room))
        return life
    }

    static func caller() throws -> Caller {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let answer = pipeline.get("/a", token: try RequestPipeline.token())
        return try #require(answer.grant?.caller)
    }

    static func attempt() throws -> RefreshAttempt {
        RefreshAttempt(
            caller: try caller(),
            token: [],
            refreshToken: nil,
            way: RefreshDeliveryWay(header: "X-Token", cookies: [])
        )
    }

    static func adoption() throws -> AdoptionAttempt {
        let caller = try caller()
        return AdoptionAttempt(
            request: AdoptionRequest(tenant: 0, principal: caller.principal, device: nil, clientAddress: []),
            caller: caller,
            way: RefreshDeliveryWay(header: "X-Token", cookies: [])
        )
    }

    static func kept(_ room: ReplayBudget = ReplayBudget(100)) throws -> ReplayableRequest {
        let request = try RequestPipeline([try RequestPipeline.tenant()]).routed(RequestPipeline.request("/a"))
        return ReplayableRequest(request, limit: 10, room: room, spare: SpareRequests())
    }

    static func captureRule() throws -> TokenCapture {
        TokenCapture(
            path: try PathPattern("/login"),
            accessToken: try SampleRenewal.pointer("/access"),
            refreshToken: try SampleRenewal.pointer("/refresh")
        )
    }

    /// - Parameter request: What goes on to the backend; nil where the endpoint keeps it.
    static func call(forwarding request: ReceivedRequest? = nil) throws -> EndpointCall {
        EndpointCall(
            EndpointRequest(endpoint: .token, method: "POST", authority: "app.test", now: 0),
            received: request
        )
    }

    /// Between an exchange that has no client and a server that records its calls.
    static func tunnel() throws -> Tunnel {
        let fixture = try EmbeddedWorker()
        let server = RecordingServer(fixture.pools[0])
        return Tunnel(RequestExchange(worker: fixture.worker), server, loop: fixture.worker.loop)
    }

    static let identity = ProviderIdentity(provider: .google, subject: "110169484474386276334", name: "Bo Ek")
}
