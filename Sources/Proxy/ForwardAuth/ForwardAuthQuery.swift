import HTTPCore
import NIOCore

/// A decision query of another proxy, in one of its two forms. Only a trusted proxy may ask: others would learn whose
/// token it is.
struct ForwardAuthQuery {
    private enum Form {
        /// `/.gatehouse/auth`: the request is described in `X-Forwarded-Method`, `-Host` and `-Uri`.
        case fields
        /// `/.gatehouse/auth/PATH`: the query is the request itself, after the prefix of its path.
        case path(Range<Int>)
    }

    private static let path: StaticString = "/.gatehouse/auth"
    private static let pathLength = 16

    private let form: Form
    /// Whether a browser that is to sign in gets 401, with the login in `Location`: nginx takes no redirect for an answer
    /// to `auth_request`.
    let keepsUnauthorized: Bool

    /// Nil for a request that is no decision query. The path must be spelled exactly: no proxy sends another spelling.
    init?(_ head: RequestHead, _ bytes: Span<UInt8>) {
        let start = head.target.lowerBound
        let end = head.target.upperBound
        guard head.target.count >= Self.pathLength, bytes.isExactly(Self.path, start..<(start + Self.pathLength)) else {
            return nil
        }
        let rest = start + Self.pathLength
        if rest == end || bytes[rest] == UInt8(ascii: "?") {
            form = .fields
        } else if bytes[rest] == UInt8(ascii: "/") {
            // What follows the `?` is the decision query's own query string, not the request's.
            form = .path(rest..<((rest..<end).first { bytes[$0] == UInt8(ascii: "?") } ?? end))
        } else {
            return nil
        }
        let query = (rest..<end).first { bytes[$0] == UInt8(ascii: "?") } ?? end
        keepsUnauthorized = bytes.isExactly("?sign_in=401", query..<end)
    }

    /// Writes the head of the request in question.
    ///
    /// - Throws: What is missing or ambiguous.
    func write(_ head: RequestHead, _ bytes: Span<UInt8>, to out: inout ByteBuffer) throws(HTTPViolation) {
        let asked = try described(head, bytes)
        // Only the request line and Host are added, and their values come from the query's own head.
        out.writeHead(about: head.length + 64) { out in
            out.writeBytes(bytes.extracting(asked.method).bytes)
            out.writeStaticString(" ")
            out.writeBytes(bytes.extracting(asked.target).bytes)
            out.writeStaticString(" HTTP/1.1\r\nHost: ")
            out.writeBytes(bytes.extracting(asked.host).bytes)
            out.writeStaticString("\r\n")
            QueriedFields.write(head, bytes, to: &out)
            out.writeStaticString("\r\n")
        }
    }

    private func described(_ head: RequestHead, _ bytes: Span<UInt8>) throws(HTTPViolation) -> DescribedRequest {
        switch form {
        case .fields: return try DescribedRequest(head, bytes)
        case .path(let path):
            guard let host = head.host else { throw .badRequest("there is no Host header") }
            return DescribedRequest(method: head.method, host: head.fields[host].value, target: path)
        }
    }
}

/// Where a decision query gives the method, host and target of the request.
private struct DescribedRequest {
    let method: Range<Int>
    let host: Range<Int>
    let target: Range<Int>

    init(method: Range<Int>, host: Range<Int>, target: Range<Int>) {
        self.method = method
        self.host = host
        self.target = target
    }

    /// From its fields, each of which must occur exactly once.
    init(_ head: RequestHead, _ bytes: Span<UInt8>) throws(HTTPViolation) {
        var method: Range<Int>?
        var host: Range<Int>?
        var target: Range<Int>?
        for index in 0..<head.fieldCount where head.fields[index].known == .xForwarded && !head.fields[index].isAlias {
            let field = head.fields[index]
            if bytes.isFieldName(field.name, "x-forwarded-method") {
                guard method == nil else { throw .badRequest("there are several X-Forwarded-Method headers") }
                method = field.value
            } else if bytes.isFieldName(field.name, "x-forwarded-host") {
                guard host == nil else { throw .badRequest("there are several X-Forwarded-Host headers") }
                host = field.value
            } else if bytes.isFieldName(field.name, "x-forwarded-uri") {
                guard target == nil else { throw .badRequest("there are several X-Forwarded-Uri headers") }
                target = field.value
            }
        }
        self.method = try Self.method(method, bytes)
        self.host = try Self.host(host, bytes)
        self.target = try Self.target(target, bytes)
    }

    private static func method(_ value: Range<Int>?, _ bytes: Span<UInt8>) throws(HTTPViolation) -> Range<Int> {
        guard let value, !value.isEmpty else {
            throw .badRequest(
                "X-Forwarded-Method is missing: have the proxy set it to the method of the request it asks about"
            )
        }
        for position in value where !bytes[position].isTokenByte {
            throw .badRequest("X-Forwarded-Method is no method")
        }
        return value
    }

    private static func host(_ value: Range<Int>?, _ bytes: Span<UInt8>) throws(HTTPViolation) -> Range<Int> {
        guard let value, !value.isEmpty else {
            throw .badRequest(
                "X-Forwarded-Host is missing: have the proxy set it to the Host of the request it asks about"
            )
        }
        for position in value where bytes[position] == UInt8(ascii: ",") {
            throw .badRequest("X-Forwarded-Host is a list: have the proxy replace what a client sends of it")
        }
        return value
    }

    /// Origin form only: in absolute form a client could name a host that the proxy has not seen.
    private static func target(_ value: Range<Int>?, _ bytes: Span<UInt8>) throws(HTTPViolation) -> Range<Int> {
        guard let value, !value.isEmpty else {
            throw .badRequest(
                "X-Forwarded-Uri is missing: have the proxy set it to the path and query of the request it asks about"
            )
        }
        let isAsterisk = value.count == 1 && bytes[value.lowerBound] == UInt8(ascii: "*")
        guard bytes[value.lowerBound] == UInt8(ascii: "/") || isAsterisk else {
            throw .badRequest("X-Forwarded-Uri does not begin with a slash")
        }
        for position in value where !bytes[position].isTargetByte {
            throw .badRequest("X-Forwarded-Uri has a byte that must be percent-encoded")
        }
        return value
    }
}

/// The query's fields that belong to the request in question: all that a decision could look at, as received.
private enum QueriedFields {
    static func write(_ head: RequestHead, _ bytes: Span<UInt8>, to out: inout HeadWriter) {
        var kept = ForwardedLines()
        let fields = head.fields
        for index in 0..<head.fieldCount {
            let field = fields[index]
            if isAsked(field, bytes) { kept.keep(field, bytes, to: &out) }
        }
        kept.finish(bytes, to: &out)
    }

    /// Fields that Connection names stay: dropping them would let a client hide what it is judged by.
    private static func isAsked(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        switch field.known {
        case .host, .expect, .trailer: false
        // A page may open a WebSocket with a visitor's cookies.
        case .upgrade: true
        case .xForwarded:
            !field.isAlias
                && (bytes.isFieldName(field.name, "x-forwarded-for")
                    || bytes.isFieldName(field.name, "x-forwarded-proto"))
        case .other, .contentLength, .transferEncoding, .connection, .authorization, .cookie, .te, .keepAlive,
            .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .http2Settings, .forwarded, .xRealIP,
            .xRequestID, .traceparent, .tracestate, .date, .clientCertificateSubject:
            !field.known.endsHere
        }
    }
}
