import Counting
import HTTPCore
import Time

/// What is remembered of an exchange for counters and the access log.
struct ExchangeRecord {
    var id: RequestID
    /// `.distantPast` for what has not happened.
    var startedAt: MonotonicTime
    var forwardedAt = MonotonicTime.distantPast
    var tenant: ServedTenant?
    var caller: Caller?
    var server: ServerPool?
    /// What the client sent, and is answered by.
    var method = CountedMethod.other
    /// Of the request that a proxy asks about; nil for all others.
    var askedMethod: CountedMethod?
    var version = HTTPVersion.http11
    /// Whether a refusal is to be an answer of gRPC.
    var isGRPC = false
    var outcome = Outcome.anonymous
    var status = 0
    var bodyBytes = 0
    /// Nil for a request that no refresh had a part in.
    var refresh: RefreshNote?
    /// Who has signed in, as it stands between the quotes of a JSON string; empty for everybody else.
    var signedIn: [UInt8] = []
    var isFinished = false
    /// Nil but for a request that is traced.
    var trace: RequestTrace?
    /// The client behind trusted proxies; nil where the peer is the client.
    var client: [UInt8]?
    /// The same as rate limits know it, where it was asked for.
    var clientName: SubjectName?
    /// The part of the log line that the head tells; empty without an access log.
    var logFragment: [UInt8] = []

    init() {
        self.init(startedAt: .distantPast, id: RequestID(high: 0, low: 0))
        isFinished = true
    }

    init(startedAt: MonotonicTime, id: RequestID) {
        self.startedAt = startedAt
        self.id = id
    }

    mutating func note(_ head: RequestHead, _ bytes: Span<UInt8>, _ version: HTTPVersion) {
        method = CountedMethod(bytes, head.method)
        self.version = version
    }
}

/// What a client speaks.
enum HTTPVersion {
    case http10, http11, http2

    /// As logs say it.
    var label: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    /// As Via says it (RFC 9110 section 7.6.3).
    var received: StaticString {
        switch self {
        case .http10: "1.0"
        case .http11: "1.1"
        case .http2: "2"
        }
    }
}

extension CountedMethod {
    /// - Parameter range: Of the method in the bytes of a head.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        switch range.count {
        case 3: self = bytes.isExactly("GET", range) ? .get : bytes.isExactly("PUT", range) ? .put : .other
        case 4: self = bytes.isExactly("POST", range) ? .post : bytes.isExactly("HEAD", range) ? .head : .other
        case 5: self = bytes.isExactly("PATCH", range) ? .patch : .other
        case 6: self = bytes.isExactly("DELETE", range) ? .delete : .other
        case 7: self = bytes.isExactly("OPTIONS", range) ? .options : .other
        default: self = .other
        }
    }
}
