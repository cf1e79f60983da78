import HTTPCore
import NIOCore
import Verification

/// Turns refusals into HTTP: the one place where it is done.
enum RefusalWriter {
    struct Exchange {
        /// The tenant's name, if it is known already.
        var realm: String?
        /// What the tenant says of proofs; nil for one that knows nothing of them.
        var proofs: ProofChallenge?
        var requestID: RequestID
        var isHead: Bool
        var minorVersion: Int
        var closes: Bool
        /// An IMF-fixdate (RFC 9110 section 5.6.7).
        var date: [UInt8]
        /// Further fields, each with its CRLF; where there are any, `Cache-Control: no-store` is among them.
        var lines: [UInt8] = []
        /// Whether the answer is one of gRPC: status 200, with the reason in `grpc-status` and `grpc-message`, and no
        /// body. Only for HTTP/2, where the head ends the stream ("Trailers-Only").
        var isGRPC = false
    }

    /// Writes the whole answer and gives the length of its body.
    static func write(_ refusal: Refusal, _ exchange: Exchange, to out: inout ByteBuffer) -> Int {
        let body = exchange.isGRPC ? [] : problem(refusal, exchange.requestID)
        let status = exchange.isGRPC ? 200 : refusal.status
        out.reserveCapacity(minimumWritableBytes: body.count + 640)
        out.writeStaticString("HTTP/1.1 ")
        out.writeDecimal(status)
        out.writeStaticString(" ")
        out.writeStaticString(ReasonPhrase.of(status))
        out.writeStaticString("\r\nDate: ")
        out.writeBytes(exchange.date)
        if exchange.isGRPC {
            out.writeStaticString("\r\nContent-Type: application/grpc")
        } else {
            out.writeStaticString("\r\nContent-Type: application/problem+json")
        }
        if exchange.lines.isEmpty { out.writeStaticString("\r\nCache-Control: no-store") }
        if exchange.isGRPC {
            GRPCStatus(refusal).write(message: refusal.code.rawValue, to: &out)
        } else {
            out.writeStaticString("\r\nContent-Length: ")
            out.writeDecimal(body.count)
        }
        if refusal.status == 401 || refusal.status == 403, !hasChallenge(exchange.lines) {
            writeChallenge(refusal, exchange, to: &out)
        }
        if refusal.status == 405 { writeAllow(refusal, to: &out) }
        if refusal.status == 426 { out.writeStaticString("\r\nSec-WebSocket-Version: 13") }
        if let seconds = refusal.retryAfterSeconds {
            out.writeStaticString("\r\nRetry-After: ")
            out.writeDecimal(seconds)
        }
        if exchange.closes {
            out.writeStaticString("\r\nConnection: close")
        } else if exchange.minorVersion == 0 {
            out.writeStaticString("\r\nConnection: keep-alive")
        }
        out.writeStaticString("\r\n")
        out.writeBytes(refusal.lines)
        out.writeBytes(exchange.lines)
        out.writeStaticString("\r\n")
        guard !exchange.isHead, !exchange.isGRPC else { return 0 }
        out.writeBytes(body)
        return body.count
    }

    private static func writeAllow(_ refusal: Refusal, to out: inout ByteBuffer) {
        out.writeStaticString("\r\nAllow: ")
        let methods = refusal.allowedMethods
        out.writeString(
            methods.isEmpty ? "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" : methods.joined(separator: ", ")
        )
    }

    /// Whether who refuses says himself how to do better.
    private static func hasChallenge(_ lines: [UInt8]) -> Bool {
        lines.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: "WWW-Authenticate:".utf8) }
    }

    /// One for each way to prove oneself that the tenant knows: RFC 6750 section 3 and RFC 9449 section 7.1. What is
    /// wrong with a proof concerns the second alone.
    private static func writeChallenge(_ refusal: Refusal, _ exchange: Exchange, to out: inout ByteBuffer) {
        if exchange.proofs == nil || refusal.proofError == nil && exchange.proofs?.acceptsBearer == true {
            writeChallenge("Bearer", exchange, to: &out)
            writeError(refusal, to: &out)
        }
        guard let proofs = exchange.proofs else { return }
        writeChallenge("DPoP", exchange, to: &out)
        writeError(refusal, to: &out)
        out.writeString(", algs=\"\(proofs.algorithms)\"")
    }

    private static func writeChallenge(_ scheme: StaticString, _ exchange: Exchange, to out: inout ByteBuffer) {
        out.writeStaticString("\r\nWWW-Authenticate: ")
        out.writeStaticString(scheme)
        out.writeStaticString(" realm=\"")
        out.writeString(exchange.realm ?? "gatehouse")
        out.writeStaticString("\"")
    }

    /// A request without a token gets the bare challenge, without an error code.
    private static func writeError(_ refusal: Refusal, to out: inout ByteBuffer) {
        guard refusal.code != .missingToken else { return }
        if let error = refusal.proofError {
            out.writeString(", error=\"\(error.rawValue)\"")
        } else {
            let isForbidden = refusal.status == 403
            out.writeStaticString(isForbidden ? ", error=\"insufficient_scope\"" : ", error=\"invalid_token\"")
        }
        out.writeStaticString(", error_description=\"")
        out.writeString(refusal.detail)
        out.writeStaticString("\"")
        if !refusal.neededScopes.isEmpty {
            out.writeString(", scope=\"\(refusal.neededScopes.joined(separator: " "))\"")
        }
    }

    /// RFC 9457, with the stable `code` and the request's identity as extensions.
    private static func problem(_ refusal: Refusal, _ requestID: RequestID) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(320)
        func add(_ text: StaticString) {
            body.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        add("{\"type\":\"about:blank\",\"title\":\"")
        add(refusal.code.title)
        add("\",\"status\":")
        body.append(contentsOf: String(refusal.status).utf8)
        add(",\"detail\":\"")
        JSONText.escape(refusal.detail, into: &body)
        add("\",\"code\":\"")
        body.append(contentsOf: refusal.code.rawValue.utf8)
        add("\",\"request_id\":\"")
        requestID.forEachByte { body.append($0) }
        add("\"}\n")
        return body
    }
}

/// RFC 9110 section 15; only the statuses that the gateway answers itself.
enum ReasonPhrase {
    static func of(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Refused"
        }
    }
}
