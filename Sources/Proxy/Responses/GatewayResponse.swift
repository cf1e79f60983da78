import Authorization
import HTTPCore
package import NIOCore

/// A response of the gateway's own, as a value: each protocol writes it in its own form.
package struct GatewayResponse: Equatable {
    package struct Field: Equatable {
        package let name: StaticString
        package let value: [UInt8]

        package static func == (left: Field, right: Field) -> Bool {
            left.name.description == right.name.description && left.value == right.value
        }
    }

    package var status: Int
    /// Nil for a response without content.
    package var contentType: String?
    /// Whether it gets `Cache-Control: no-store`.
    var forbidsStoring = false
    package var fields: [Field] = []
    /// Further field lines, each with its CRLF.
    package var lines: [UInt8] = []
    package var body: [UInt8] = []
    /// Whether it says how long its body is: all do but a 204 (RFC 9110 section 8.6) and the head that ends a call of
    /// gRPC.
    var hasLength = true

    package init(status: Int, lines: [UInt8] = [], body: [UInt8] = []) {
        self.status = status
        self.lines = lines
        self.body = body
        hasLength = status != 204
    }

    package mutating func add(_ name: StaticString, _ value: String) {
        fields.append(Field(name: name, value: Array(value.utf8)))
    }

    package mutating func add(_ name: StaticString, _ value: [UInt8]) { fields.append(Field(name: name, value: value)) }

    // MARK: HTTP/1.1

    /// Writes the whole response.
    ///
    /// - Parameters:
    ///   - isHead: Whether it answers HEAD, and so has no body.
    ///   - minorVersion: Of the client's HTTP/1.
    ///   - date: An IMF-fixdate (RFC 9110 section 5.6.7).
    /// - Returns: Bytes of the body.
    package func write(isHead: Bool, minorVersion: Int, stays: Bool, date: [UInt8], to out: inout ByteBuffer) -> Int {
        out.reserveCapacity(minimumWritableBytes: body.count + lines.count + 640)
        out.writeStaticString("HTTP/1.1 ")
        out.writeDecimal(status)
        out.writeStaticString(" ")
        out.writeStaticString(ReasonPhrase.of(status))
        out.writeStaticString("\r\nDate: ")
        out.writeBytes(date)
        if let contentType {
            out.writeStaticString("\r\nContent-Type: ")
            out.writeString(contentType)
        }
        if forbidsStoring { out.writeStaticString("\r\nCache-Control: no-store") }
        if hasLength {
            out.writeStaticString("\r\nContent-Length: ")
            out.writeDecimal(body.count)
        }
        for field in fields {
            out.writeStaticString("\r\n")
            out.writeStaticString(field.name)
            out.writeStaticString(": ")
            out.writeBytes(field.value)
        }
        if !stays {
            out.writeStaticString("\r\nConnection: close")
        } else if minorVersion == 0 {
            out.writeStaticString("\r\nConnection: keep-alive")
        }
        out.writeStaticString("\r\n")
        out.writeBytes(lines)
        out.writeStaticString("\r\n")
        guard !isHead else { return 0 }
        out.writeBytes(body)
        return body.count
    }
}

/// RFC 9110 section 15; only the statuses that the gateway answers itself.
enum ReasonPhrase {
    static func of(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 303: "See Other"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
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
