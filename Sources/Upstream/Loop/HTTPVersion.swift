/// The client's protocol version.
package enum HTTPVersion {
    case http10, http11, http2

    /// As written in logs.
    package var label: String {
        switch self {
        case .http10: "HTTP/1.0"
        case .http11: "HTTP/1.1"
        case .http2: "HTTP/2"
        }
    }

    /// As written in Via (RFC 9110 section 7.6.3).
    package var received: StaticString {
        switch self {
        case .http10: "1.0"
        case .http11: "1.1"
        case .http2: "2"
        }
    }
}
