public import NIOHTTP1

/// A request of the gateway's own.
public struct OutgoingRequest: Sendable {
    /// Who answers: the same scheme, host and port (RFC 6454 section 5).
    public struct Origin: Sendable, Hashable {
        public let isSecure: Bool
        /// In lower case; an IPv6 address in brackets.
        public let host: String
        public let port: Int

        public init(isSecure: Bool, host: String, port: Int) {
            self.isSecure = isSecure
            self.host = host
            self.port = port
        }
    }

    let method: String
    let url: String
    let origin: Origin
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    /// - Parameters:
    ///   - url: Without a fragment.
    ///   - origin: That of the URL, as its reader has understood it: the certificate has to be for this host.
    ///   - fields: Without Host and Content-Length, which are added.
    public init(
        method: String = "GET",
        url: String,
        origin: Origin,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.origin = origin
        self.fields = fields
        self.body = body
    }
}

public struct OutgoingResponse: Sendable {
    public let status: Int
    public let fields: HTTPHeaders
    public let body: [UInt8]
}
