package import Authorization
package import HTTPCore
package import IdentityProvider
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import SharedState
import Store
package import TestSupport
import Testing
package import Time
import Upstream
package import Verification

@testable package import Tenants

/// One event loop's way from a head's bytes to the head that the backend gets, without a socket.
package final class RequestPipeline {
    /// The result of a request.
    package enum Outcome {
        case malformed(HTTPViolation)
        case refused(Refusal)
        case granted(Grant)
        case preflight(Preflight)
        case redirect(String)
        case endpoint(Endpoint)
        case needs(SlowStep)

        package var refusal: Refusal? {
            if case .refused(let refusal) = self { refusal } else { nil }
        }

        package var grant: Grant? {
            if case .granted(let grant) = self { grant } else { nil }
        }
    }

    package static let now = SampleTenant.now
    package static let issuer = SampleTenant.issuer
    package static let requestID = RequestID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

    package let tenants: [TenantRuntime]
    private let router: RequestRouter
    package let authorizer: Authorizer
    package let decisionContext: DecisionContext
    private let received = ReceivedRequest()
    private let parser = RequestHeadParser(maximumBytes: 32 << 10, maximumFields: 100)

    /// - Parameter redirectsToHTTPS: `gateway.redirect_https`.
    package init(_ tenants: [Tenant], redirectsToHTTPS: Bool = false) {
        let limits = SharedLimits(tenants, store: MemoryStore(), logger: Logger(label: "test")).map { limits in
            (limiter: limits.limiter, ledger: UnreportedRequests(eventLoop: EmbeddedEventLoop(), settle: limits.settle))
        }
        let runtimes = tenants.tenantIndices.map { place in
            TenantRuntime(
                index: place,
                tenant: tenants[place],
                limits: limits.flatMap { TenantLimits(tenant: place, $0.limiter, $0.ledger, trustedProxies: []) }
            )
        }
        self.tenants = runtimes
        router = RequestRouter(directory: TenantDirectory(tenants), tenants: runtimes)
        authorizer = Authorizer(router: router, redirectsToHTTPS: redirectsToHTTPS)
        for tenant in runtimes { tenant.revocations.age(since: 1, at: 1) }
        // Somebody asks who passes on what is granted in any form: as a rehearsal, but allowances are used up.
        var source = RequestSource.rehearsal
        source.isRehearsal = false
        decisionContext = DecisionContext(source: source)
    }

    /// Checks the tenants' tokens off the loop.
    package var slowVerifier: SlowVerifier {
        let configuration = TenantsConfiguration(
            gateway: GatewaySettings(listeners: []),
            tenants: tenants.map(\.tenant)
        )
        return SlowVerifier(
            ConfigurationSnapshot(configuration, at: Self.now),
            eventLoop: MultiThreadedEventLoopGroup.singleton.any()
        )
    }

    /// A tenant at `app.test` that takes tokens of ``issuer``.
    package static func tenant(
        name: String = "app",
        host: String = "app.test",
        prefix: String? = nil,
        strips: Bool = false,
        from: [TokenSource] = [.bearer],
        access: [AccessRule] = [],
        identity: Identity = Identity(),
        mode: Tenant.Mode = .enforce
    ) throws -> Tenant {
        var tenant = try SampleTenant.tenant(name: name, host: host, from: from)
        tenant.pathPrefix = prefix
        tenant.stripPrefix = strips
        tenant.access = AccessRules(access)
        tenant.identity = identity
        tenant.mode = mode
        return tenant
    }

    package static func rule(_ path: String, _ allow: AccessRule.Allow, methods: [String] = []) throws -> AccessRule {
        AccessRule(path: try PathPattern(path), methods: methods, allow: allow)
    }

    /// ``SampleTenant/token(_:forged:)``.
    package static func token(_ changes: KeyValuePairs<String, JSONValue?> = [:], forged: Bool = false) throws -> String
    {
        try SampleTenant.token(changes, forged: forged)
    }

    /// - Parameter allowing: The slow steps that the decision may ask for.
    package func ask(_ bytes: [UInt8], allowing: AllowedSteps = .all, at now: UnixTime = RequestPipeline.now) -> Outcome
    {
        if allowing == .all { decisionContext.begin(decisionContext.peer) }
        switch received.parse(ByteBuffer(bytes: bytes), parser) {
        case .incomplete: return .malformed(.badRequest("incomplete"))
        case .refused(let violation): return .malformed(violation)
        case .complete: break
        }
        decisionContext.steps.allowed = allowing
        switch authorizer.authorize(received, bytes.span, decisionContext, at: now) {
        case .refused(let refusal, _): return .refused(refusal)
        case .granted(let grant): return .granted(grant)
        case .preflight(let preflight, _): return .preflight(preflight)
        case .redirect(let location, _): return .redirect(location)
        case .endpoint(let endpoint, _): return .endpoint(endpoint)
        case .pending(let step, _): return .needs(step)
        }
    }

    /// A request that is well formed and some tenant's.
    package func routed(_ bytes: [UInt8]) throws -> RoutedRequest {
        let received = ReceivedRequest()
        try #require(received.parse(ByteBuffer(bytes: bytes), parser) == .complete)
        guard case .routed(let request) = router.route(received, bytes.span) else {
            throw NotRouted()
        }
        return request
    }

    private struct NotRouted: Error {}

    /// GET of `path` at `app.test` with further header lines.
    package func get(_ path: String, token: String? = nil, lines: [String] = [], at now: UnixTime = RequestPipeline.now)
        -> Outcome
    {
        ask(Self.request(path, lines: (token.map { ["Authorization: Bearer \($0)"] } ?? []) + lines), at: now)
    }

    package static func request(
        _ target: String,
        method: String = "GET",
        version: String = "1.1",
        host: String? = "app.test",
        lines: [String] = []
    ) -> [UInt8] {
        let all = (host.map { ["Host: \($0)"] } ?? []) + lines
        return Array("\(method) \(target) HTTP/\(version)\r\n\(all.map { $0 + "\r\n" }.joined())\r\n".utf8)
    }

    /// The bytes that the backend gets, or nil if the request is refused.
    package func forwardedBytes(_ bytes: [UInt8], from peer: Peer) -> [UInt8]? {
        guard let grant = ask(bytes).grant else { return nil }
        let context = ForwardingContext(
            rules: ForwardingRules(grant.request.tenant.tenant),
            peer: peer,
            requestID: Self.requestID,
            traceID: (0x11, 0x22),
            spanID: 0x33,
            version: received.head.minorVersion == 0 ? .http10 : .http11
        )
        return Array(ForwardedHead(grant, bytes.span, context, in: ByteBuffer()).bytes.readableBytesView)
    }

    /// The head that the backend gets, read by the same strict parser.
    package func forward(_ bytes: [UInt8], from peer: Peer) throws -> RequestReading {
        let written = try #require(forwardedBytes(bytes, from: peer))
        let reading = try #require(RequestOutcome.parse(written).reading)
        #expect(reading.length == written.count)
        return reading
    }

    package static func peer(_ address: String = "203.0.113.7", trusted: Bool = false, tls: PeerTLS? = nil) throws
        -> Peer
    {
        let ip = try #require(IPAddress(address))
        let range = AddressRange(base: ip, prefixLength: ip.bytes.count * 8)
        return Peer(try SocketAddress(ipAddress: address, port: 4000), trustedProxies: trusted ? [range] : [], tls: tls)
    }
}
