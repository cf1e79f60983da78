/// A request as described in Envoy's query.
public struct QueriedRequest: Sendable, Equatable {
    public var method: [UInt8]
    /// With its query.
    public var path: [UInt8]
    public var host: [UInt8]
    public var scheme: [UInt8]
    /// "HTTP/1.0", "HTTP/1.1", "HTTP/2" or "HTTP/3".
    public var version: String
    /// Includes the pseudo-header fields.
    public var fields: [AuthzField]
    /// The IP address of Envoy's peer; nil if Envoy gives none.
    public var source: [UInt8]?
    /// Whether a field was described twice, differently, so that another reader might take the other one.
    public var isContradictory: Bool

    public init(
        method: [UInt8],
        path: [UInt8],
        host: [UInt8],
        scheme: [UInt8],
        version: String,
        fields: [AuthzField],
        source: [UInt8]?,
        isContradictory: Bool = false
    ) {
        self.method = method
        self.path = path
        self.host = host
        self.scheme = scheme
        self.version = version
        self.fields = fields
        self.source = source
        self.isContradictory = isContradictory
    }

    init(_ message: Envoy_Service_Auth_V3_CheckRequest) {
        let attributes = message.attributes
        let http = attributes.request.http
        let listed = http.headerMap.headers
        // Sorted, since a map has no order: the same request always gives the same head.
        let mapped = http.headers.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        let source = Array(attributes.source.address.socketAddress.address.utf8)
        self.init(
            method: Array(http.method.utf8),
            path: Array(http.path.utf8),
            host: Array(http.host.utf8),
            scheme: Array(http.scheme.utf8),
            version: http.protocol,
            fields: mapped.map { AuthzField($0.key, $0.value) } + listed.map(Self.field),
            source: source.isEmpty ? nil : source,
            isContradictory: !listed.isEmpty && !mapped.isEmpty
                || listed.contains { !$0.value.isEmpty && !$0.rawValue.isEmpty }
        )
    }

    private static func field(_ header: Envoy_Config_Core_V3_HeaderValue) -> AuthzField {
        let value = header.rawValue.isEmpty ? Array(header.value.utf8) : Array(header.rawValue)
        return AuthzField(name: Array(header.key.utf8), value: value)
    }
}
