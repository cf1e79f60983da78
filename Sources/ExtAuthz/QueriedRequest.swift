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
}
