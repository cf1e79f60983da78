import Authorization
package import HTTPCore
package import NIOCore

/// A response of the gateway's own, as a value: each protocol writes it in its own form.
package struct GatewayResponse: Equatable {
    package var status: Int
    /// Nil for a response without content.
    package var contentType: String?
    /// Whether it gets `Cache-Control: no-store`.
    var forbidsStoring = false
    package var fields: [HeaderField] = []
    /// Further fields, which HTTP/2 never indexes: they may hold tokens.
    package var unindexedFields: [HeaderField] = []
    package var body: [UInt8] = []
    /// The protocol that a 426 names (RFC 9110 section 15.5.22); HTTP/2 has no such field (RFC 9113 section 8.2.2). Nil
    /// for other responses.
    package internal(set) var upgrade: String?
    /// Whether it has a Content-Length: all do but a 204 (RFC 9110 section 8.6) and the head that ends a gRPC call.
    var hasLength = true

    package init(status: Int, unindexedFields: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.unindexedFields = unindexedFields
        self.body = body
        hasLength = status != 204
    }

    /// Sends the client to a URL over TLS, with the same method and body (RFC 9110 section 15.4.9).
    static func redirectToHTTPS(_ location: String) -> GatewayResponse {
        var response = GatewayResponse(status: 308, unindexedFields: [HeaderField("Location", location)])
        // A shared cache that keeps one response for both schemes would send clients over TLS round in a circle.
        response.forbidsStoring = true
        return response
    }

    /// All fields but `Date`, `Connection` and those that frame the body.
    package var allFields: [HeaderField] {
        var all: [HeaderField] = []
        if let contentType { all.append(HeaderField("Content-Type", contentType)) }
        if forbidsStoring { all.append(.noStore) }
        return all + fields + unindexedFields
    }

    // MARK: HTTP/1.1

    /// Bytes that a head has besides `fields` and `unindexedFields`.
    private static let otherFieldsLength = 320

    /// Writes the whole response.
    ///
    /// - Parameters:
    ///   - isHead: Whether it answers HEAD, and so has no body.
    ///   - minorVersion: Of the client's HTTP/1.
    ///   - date: An IMF-fixdate (RFC 9110 section 5.6.7).
    /// - Returns: Bytes of the body.
    package func write(isHead: Bool, minorVersion: Int, stays: Bool, date: [UInt8], to out: inout ByteBuffer) -> Int {
        let length = fields.lineLength + unindexedFields.lineLength + Self.otherFieldsLength
        out.reserveCapacity(minimumWritableBytes: length + body.count)
        out.writeHead(about: length) { out in
            writeHead(minorVersion: minorVersion, stays: stays, date: date, to: &out)
        }
        guard !isHead else { return 0 }
        out.writeBytes(body)
        return body.count
    }

    private func writeHead(minorVersion: Int, stays: Bool, date: [UInt8], to out: inout HeadWriter) {
        out.writeStaticString("HTTP/1.1 ")
        out.writeDecimal(status)
        out.writeStaticString(" ")
        out.writeStaticString(ReasonPhrase.of(status))
        out.writeStaticString("\r\nDate: ")
        out.writeBytes(date)
        out.writeStaticString("\r\n")
        if let contentType {
            out.writeStaticString("Content-Type: ")
            out.writeText(contentType)
            out.writeStaticString("\r\n")
        }
        if forbidsStoring { out.writeStaticString("Cache-Control: no-store\r\n") }
        if hasLength {
            out.writeStaticString("Content-Length: ")
            out.writeDecimal(body.count)
            out.writeStaticString("\r\n")
        }
        for field in fields { out.writeField(field) }
        if let upgrade {
            writeUpgrade(upgrade, minorVersion: minorVersion, stays: stays, to: &out)
        } else if !stays {
            out.writeStaticString("Connection: close\r\n")
        } else if minorVersion == 0 {
            out.writeStaticString("Connection: keep-alive\r\n")
        }
        for field in unindexedFields { out.writeField(field) }
        out.writeStaticString("\r\n")
    }
}

extension GatewayResponse {
    /// `Upgrade` is for this connection, and named by `Connection` (RFC 9110 section 7.8).
    private func writeUpgrade(_ upgrade: String, minorVersion: Int, stays: Bool, to out: inout HeadWriter) {
        out.writeStaticString("Upgrade: ")
        out.writeText(upgrade)
        out.writeStaticString("\r\nConnection: Upgrade")
        if !stays {
            out.writeStaticString(", close")
        } else if minorVersion == 0 {
            out.writeStaticString(", keep-alive")
        }
        out.writeStaticString("\r\n")
    }
}

/// RFC 9110 section 15; only the statuses that the gateway itself sends.
enum ReasonPhrase {
    static func of(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
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
