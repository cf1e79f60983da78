import Time

/// Sends requests to receivers; made by a module with sockets.
public protocol OutboxTransport: Sendable {
    /// Sends a request once, without following redirects.
    ///
    /// - Throws: Not for a response, whatever its status.
    func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse
}

/// A request of the outbox: a POST.
public struct OutboxRequest: Sendable, Equatable {
    /// https, or http on loopback.
    public var url: String
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
    /// For the whole request.
    public var timeout: Duration = .seconds(15)

    public static func == (left: OutboxRequest, right: OutboxRequest) -> Bool {
        left.url == right.url && left.body == right.body && left.timeout == right.timeout
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

public struct OutboxResponse: Sendable, Equatable {
    public var status: Int
    /// Seconds (`Retry-After`); nil if it says none.
    public var retryAfter: Int?

    public init(status: Int, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }
}

/// Where the messages of a channel go.
protocol OutboxReceiver: Sendable {
    /// Whether this instance can send what a tenant has in the channel.
    func receives(ofTenant tenant: String) -> Bool

    /// The request for a message, made anew for each attempt.
    ///
    /// - Returns: Nil if there is nobody to send it to.
    func request(
        for message: OutboxMessage,
        ofTenant tenant: String,
        at now: UnixTime
    ) async throws(OutboxFailure) -> OutboxRequest?

    func result(of response: OutboxResponse) -> OutboxStream.Result
}
