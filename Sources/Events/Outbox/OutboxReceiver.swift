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

/// Whom a message is for. Each has its own health and its own share of the requests under way.
enum OutboxReceiverID: Sendable, Hashable {
    /// The webhook of `gateway.events`.
    case webhook
    /// A client of a tenant's issuer.
    ///
    /// - Parameter id: `client_id`; nil where the queue does not say it, as version 1 of its places.
    case client(tenant: String, id: String?)
}

/// Sends the messages of a channel to those they are for.
protocol OutboxReceiver: Sendable {
    /// Whether this instance knows the receiver. What is for another waits for an instance that does, until it
    /// expires: a reload may not have come here yet.
    func knows(_ receiver: OutboxReceiverID) -> Bool

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
