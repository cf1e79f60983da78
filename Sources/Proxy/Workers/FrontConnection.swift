package import Authorization
package import Tenants
package import Time

/// A client's connection as the worker keeps it, whatever it speaks.
package protocol FrontConnection: AnyObject {
    /// Its place in the worker's list; -1 when it is in none.
    var placeInWorker: Int { get set }

    /// By which it shares the room for connections with others.
    var address: SubjectName? { get }

    /// Whether it takes room that its address shares with others: not if it is a proxy's, whose clients are many, or was
    /// refused and is about to close.
    var takesRoom: Bool { get }

    /// Whether nothing of a request, or only a part of its head, has come, and all responses have been sent.
    var isIdle: Bool { get }

    /// The gateway is going down: close when what is under way is done.
    func drain()

    /// Some caller was revoked: end what is under way for such (``RequestExchange/endIfRevoked(unixTime:at:)``).
    ///
    /// - Returns: Whether something has to be looked at again.
    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool

    /// Others are believed what they say of their clients, from the next request on.
    func trust(_ proxies: [AddressRange])

    /// Close, whatever is under way.
    func closeNow()

    /// What is held of answers that the client has not taken.
    var backlog: ClientBacklog { get }

    /// Others need the memory: end the connection at once, and hold nothing for it any more.
    func closeForBacklog()
}
