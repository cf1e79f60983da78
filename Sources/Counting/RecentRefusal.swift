public import Time

/// One of the requests that were refused last, for those who run the gateway. It holds nothing that lets anyone in:
/// neither a query, nor a header field, nor a body.
public struct RecentRefusal: Sendable, Equatable {
    /// When the response was complete.
    public var time: UnixTime
    public var requestID: String
    /// Its name; nil if none was found.
    public var tenant: String?
    /// Nil for a request whose head could not be read, as is the path.
    public var method: String?
    /// Without the query. Also nil for a request that is refused after it was decided on, without an access log.
    public var path: String?
    /// Whether the end of the path is missing.
    public var isPathCut: Bool
    public var status: Int
    public var code: RefusalCode
    /// For people; nothing that the client sent.
    public var reason: String
    /// Whether the refusal was not enforced, and the status is the backend's.
    public var isObserved: Bool
    /// The client's address, as the access log has it.
    public var client: String

    public init(
        time: UnixTime,
        requestID: String,
        tenant: String?,
        method: String?,
        path: String?,
        isPathCut: Bool,
        status: Int,
        code: RefusalCode,
        reason: String,
        isObserved: Bool,
        client: String
    ) {
        self.time = time
        self.requestID = requestID
        self.tenant = tenant
        self.method = method
        self.path = path
        self.isPathCut = isPathCut
        self.status = status
        self.code = code
        self.reason = reason
        self.isObserved = isObserved
        self.client = client
    }
}
