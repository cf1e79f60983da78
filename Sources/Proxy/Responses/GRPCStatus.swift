import Authorization
import HTTPCore
import NIOCore
import Verification

/// The status of a refused gRPC call: gRPC clients do not read problem documents, and take an HTTP status for a failure
/// of an intermediary.
enum GRPCStatus: Int {
    case unknown = 2
    case deadlineExceeded = 4
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case unauthenticated = 16

    /// The protocol's mapping of HTTP statuses ("HTTP to gRPC Status Code Mapping"), except where the gateway knows
    /// more: limits are RESOURCE_EXHAUSTED and timeouts DEADLINE_EXCEEDED, since UNAVAILABLE would invite a client to
    /// repeat a call that may have been carried out.
    init(_ refusal: Refusal) {
        switch refusal.code {
        case .rateLimited, .overloaded, .payloadTooLarge: self = .resourceExhausted
        // Repeating it does not help before the app is another.
        case .upgradeRequired: self = .failedPrecondition
        case .missingToken, .invalidToken, .tokenExpired, .tokenRevoked, .insufficientScope, .insufficientRole,
            .unknownHost, .noRoute, .ambiguousPath, .crossSiteRequest, .backendUnavailable, .backendTimeout,
            .storeUnavailable, .badRequest, .notAllowed, .conflictingTokens:
            self.init(httpStatus: refusal.status)
        }
    }

    private init(httpStatus: Int) {
        switch httpStatus {
        case 400, 500: self = .internal
        case 401: self = .unauthenticated
        case 403: self = .permissionDenied
        case 404, 405, 501: self = .unimplemented
        case 408, 504: self = .deadlineExceeded
        case 413, 414, 429, 431: self = .resourceExhausted
        case 502, 503: self = .unavailable
        default: self = .unknown
        }
    }

    /// Percent-encodes all but visible ASCII and space, and `%` itself ("Percent-Encoded" in gRPC over HTTP/2).
    static func percentEncoded(_ text: String) -> [UInt8] {
        PercentEncoding.encode(text.utf8) { $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "%") }
    }

    // MARK: Which requests are calls

    private static let contentTypeHash = FieldLine.hash(ofName: "content-type")

    /// Whether the content is `application/grpc`, with or without a suffix such as `+proto`; not `application/grpc-web`,
    /// whose clients read HTTP statuses.
    ///
    /// - Parameter bytes: What `head` was parsed from.
    static func isRequest(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == contentTypeHash {
            let field = fields[index]
            guard !field.isAlias, bytes.isCaseInsensitively("content-type", field.name) else { continue }
            return isMediaType(bytes, field.value)
        }
        return false
    }

    /// The same for an HTTP/2 request that is not parsed, or only in part. A call is a POST.
    static func isRequest(_ list: borrowing HeaderList) -> Bool {
        let bytes = list.bytes.span
        var isPost = false
        for field in list.fields {
            if bytes.isExactly(":method", field.name) { isPost = bytes.isExactly("POST", field.value) }
            if isPost, bytes.isExactly("content-type", field.name) { return isMediaType(bytes, field.value) }
        }
        return false
    }

    private static func isMediaType(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        let name: StaticString = "application/grpc"
        let end = value.lowerBound + name.utf8CodeUnitCount
        guard end <= value.upperBound, bytes.isCaseInsensitively(name, value.lowerBound..<end) else { return false }
        guard end < value.upperBound else { return true }
        switch bytes[end] {
        case UInt8(ascii: "+"), UInt8(ascii: ";"), 0x20, 0x09: return true
        default: return false
        }
    }
}
