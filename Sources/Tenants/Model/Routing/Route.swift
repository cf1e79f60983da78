public import ConfigurationText

/// Where a tenant's requests with certain paths go. Who may send them is for the access rules to say.
public struct Route: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        case forward(RouteForwarding)
        case redirect(RouteRedirect)
        case respond(StaticResponse)
    }

    /// The path as clients send it, the tenant's `path_prefix` included.
    public var path: PathPattern
    public var methods = RequestMethods([])
    /// All must hold.
    public var conditions: [HeaderCondition] = []
    public var action: Action
    /// The tenant's, with what the route says of its own.
    public var limits = RequestLimits()
    public var webSocket = WebSocketRules()
    /// The line in tenants.yaml, for explanations.
    public var line: SourceLine = 0

    /// Its forwarding; nil if the gateway answers itself.
    public var forwarding: RouteForwarding? {
        if case .forward(let forwarding) = action { forwarding } else { nil }
    }

    /// Those of `earlier` that together match every request of this route; nil if some requests reach it.
    func covering(among earlier: [Route]) -> [Route]? {
        let covering = earlier.filter { other in
            other.path.covers(path) && other.conditions.allSatisfy(conditions.contains)
        }
        return methods.covering(among: covering.map(\.methods))?.map { covering[$0] }
    }
}

/// How requests of a route are forwarded. What is nil is as the backend has it.
public struct RouteForwarding: Sendable, Equatable {
    /// What requests of one caller have in common when a split is decided.
    public enum Sticky: String, Sendable, CaseIterable {
        case subject, session
        /// Each request is decided by itself.
        case none
    }

    /// A backend's share of a route's requests.
    public struct Share: Sendable, Equatable {
        public var backend: BackendIndex
        /// Beside the weights of the other shares.
        public var weight: Int

        public init(backend: BackendIndex, weight: Int = 1) {
            self.backend = backend
            self.weight = weight
        }
    }

    /// A copy of some requests whose response is dropped.
    public struct Mirror: Sendable, Equatable {
        public var backend: BackendIndex
        /// Of the requests that are copied; more than 0.
        public var percent: Double

        public init(backend: BackendIndex, percent: Double) {
            self.backend = backend
            self.percent = percent
        }
    }

    /// At least one.
    public var shares: [Share]
    public var sticky: Sticky
    /// The path that the backend sees; nil: the client's.
    public var rewrite: PathTemplate?
    public var responseTimeout: Duration?
    public var retries: RetryRules?
    public var mirror: Mirror?

    public init(
        shares: [Share],
        sticky: Sticky = .subject,
        rewrite: PathTemplate? = nil,
        responseTimeout: Duration? = nil,
        retries: RetryRules? = nil,
        mirror: Mirror? = nil
    ) {
        self.shares = shares
        self.sticky = sticky
        self.rewrite = rewrite
        self.responseTimeout = responseTimeout
        self.retries = retries
        self.mirror = mirror
    }

    public var backends: [BackendIndex] { shares.map(\.backend) + (mirror.map { [$0.backend] } ?? []) }

    /// The backend at a point of the split. The shares lie side by side in their order, so that a share that grows at the
    /// end of the list takes callers only from those before it.
    ///
    /// - Parameter point: Every value is equally likely.
    public func backend(at point: UInt64) -> BackendIndex? {
        guard shares.count > 1 else { return shares.first?.backend }
        let total = shares.reduce(UInt64(0)) { $0 + UInt64(max(0, $1.weight)) }
        var position = point.multipliedFullWidth(by: total).high
        for share in shares {
            let weight = UInt64(max(0, share.weight))
            if position < weight { return share.backend }
            position -= weight
        }
        return shares.last?.backend
    }
}

/// A redirection that the gateway answers with.
public struct RouteRedirect: Sendable, Equatable {
    /// Scheme and authority of another site; nil for the same one.
    public var origin: String?
    public var path: PathTemplate
    /// 301, 302, 303, 307 or 308.
    public var status: Int

    public init(origin: String? = nil, path: PathTemplate, status: Int) {
        self.origin = origin
        self.path = path
        self.status = status
    }
}

/// A response that the gateway gives by itself.
public struct StaticResponse: Sendable, Equatable {
    public var status: Int
    public var body: [UInt8]
    public var contentType: String

    public init(status: Int, body: [UInt8], contentType: String) {
        self.status = status
        self.body = body
        self.contentType = contentType
    }
}
