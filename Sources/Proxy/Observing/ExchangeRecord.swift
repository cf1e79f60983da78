package import Authorization
package import Counting
package import HTTPCore
package import Time
package import Upstream

/// What is remembered of an exchange for counters and the access log.
package struct ExchangeRecord {
    package var id: RequestID
    /// `.distantPast` for what has not happened.
    package var startedAt: MonotonicTime
    package var tenant: ServedTenant?
    package var client = Client()
    package var request = Request()
    package var user = User()
    package var outcome = Outcome.anonymous
    package var upstream = Upstream()
    package var response = Response()
    /// Nil for a request that no refresh had a part in.
    package var refresh: RefreshNote?
    /// Nil but for a request that is traced.
    package var trace: RequestTrace?
    package var isFinished = false

    package struct Client {
        /// Behind trusted proxies; nil where the peer is the client.
        package var address: [UInt8]?
        /// The same as rate limits know it, where it was asked for.
        var name: SubjectName?
    }

    package struct Request {
        /// What the client sent, and is answered by.
        package var method = CountedMethod.other
        /// Of the request that a proxy asks about; nil for all others.
        var askedMethod: CountedMethod?
        package var version = HTTPVersion.http11
        /// Whether a refusal is to be an answer of gRPC.
        var isGRPC = false
        /// The part of the log line that the head tells; empty without an access log.
        var logFragment: [UInt8] = []
    }

    package struct User {
        package var caller: Caller?
        /// Who has signed in, as it stands between the quotes of a JSON string; empty for everybody else.
        package var signedIn: [UInt8] = []
    }

    package struct Upstream {
        /// `.distantPast` for a request that was not forwarded.
        var forwardedAt = MonotonicTime.distantPast
        /// The one that it was forwarded to last.
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
