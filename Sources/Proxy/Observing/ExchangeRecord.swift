package import Authorization
package import Counting
package import HTTPCore
package import Time
package import Upstream

/// What counters and the access log need of an exchange.
package struct ExchangeRecord {
    package var id: RequestID
    /// `.distantPast` for what has not happened.
    package var startedAt: MonotonicTime
    package var tenant: ServedTenant?
    /// Nil if no route matches, or none was looked for.
    package var route: ServedRoute?
    package var client = Client()
    package var request = Request()
    package var user = User()
    package var outcome = Outcome.anonymous
    /// Why it was refused, for the log: nothing that the client sent. Nil if it was not.
    package var reason: String?
    /// Whether the refusal was not enforced.
    package var isObserved = false
    /// Whether the refusal is kept for those who look at the last ones; nil while that is open.
    var isKept: Bool?
    package var upstream = Upstream()
    package var response = Response()
    /// Nil if no refresh was involved.
    package var refresh: RefreshNote?
    /// Nil unless the request is traced.
    package var trace: RequestTrace?
    package var isFinished = false

    package struct Client {
        /// From a trusted proxy's header; nil if the peer is the client.
        package var address: [UInt8]?
        /// The same in the form of rate limits, once it was needed.
        var name: SubjectName?
    }

    package struct Request {
        /// The request's side, and the form of a refusal.
        package var method = CountedMethod.other
        /// Of the request in question, for a decision query; nil for all others.
        var askedMethod: CountedMethod?
        package var version = HTTPVersion.http11
        /// Whether a refusal is sent as a gRPC status.
        var isGRPC = false
        /// Whether the client prefers a page to JSON; false for a tenant without a page.
        package var prefersHTML = false
        /// Whether what the request says of its app's version is counted.
        var isVersionCounted = false
        /// What the log line says of the head; empty without an access log, unless the request is refused.
        var logFragment = LoggedHead()
    }

    package struct User {
        package var caller: Caller?
        /// The caller, escaped for a JSON string; empty for anonymous requests.
        package var signedIn: [UInt8] = []
    }

    package struct Upstream {
        /// `.distantPast` for a request that was not forwarded.
        var forwardedAt = MonotonicTime.distantPast
        /// The backend that it was last forwarded to; nil for a request that was not.
        package var backend: BackendServers?
        /// The server that it was last forwarded to.
        package var server: ServerPool?
    }

    package struct Response {
        package var status = 0
        package var bodyBytes = 0
    }

    package init() {
        self.init(startedAt: .distantPast, id: RequestID(high: 0, low: 0))
        isFinished = true
    }

    package init(startedAt: MonotonicTime, id: RequestID) {
        self.startedAt = startedAt
        self.id = id
    }

    package mutating func note(_ head: RequestHead, _ bytes: Span<UInt8>, _ version: HTTPVersion) {
        request.method = CountedMethod(bytes, head.method)
        request.version = version
    }
}
