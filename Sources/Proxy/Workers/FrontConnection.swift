package import Authorization
package import Tenants
package import Time

/// A client's connection as the worker sees it, in any protocol.
package protocol FrontConnection: AnyObject {
    /// Its index in the worker's list; -1 when it is in none.
    var indexInWorker: Int { get set }

    /// The key by which connections are counted.
    var address: SubjectName? { get }

    /// Whether it counts towards its address: not if it is a proxy's, which serves many clients, or was refused and is
    /// about to close.
    var countsForAddress: Bool { get }

    /// Whether nothing of a request, or only a part of its head, has come, and all responses have been sent.
    var isIdle: Bool { get }

    /// The gateway is shutting down: close when what is under way is done.
    func drain()

    /// Some caller was revoked: end requests of such callers (``RequestExchange/endIfRevoked(unixTime:at:)``).
    ///
    /// - Returns: Whether to check again.
    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool

    /// Sets the trusted proxies, from the next request on.
    func trust(_ proxies: [AddressRange])

    /// Close, whatever is under way.
    func closeNow()

    /// Response bytes held for the client.
    var backlog: ClientBacklog { get }

    /// The loop holds too much: end the connection at once, and release its bytes.
    func closeForBacklog()
}
