import Glibc
import NIOCore
import NIOPosix
import Tenants

/// The addresses of one server as one event loop knows them. An IP address is used as it is; a name is looked up on
/// another thread, and again from time to time, so that a server that moves is followed without a restart.
final class ServerAddresses {
    /// After a failure, so that a name server that is down is not flooded.
    private static let pauseAfterFailure = TimeAmount.seconds(1)

    private let host: HostPort
    private let names: ServerNames
    private let eventLoop: any EventLoop
    private let isName: Bool
    /// The last known addresses: a stale answer is better than none.
    private var known: [SocketAddress] = []
    private var freshUntil = NIODeadline.uptimeNanoseconds(0)
    private var isLookingUp = false
    private var turn = 0
    private var waiting: [([SocketAddress]) -> Void] = []

    init(_ host: HostPort, eventLoop: any EventLoop, names: ServerNames = .system) {
        self.host = host
        self.names = names
        self.eventLoop = eventLoop
        if let address = try? SocketAddress(ipAddress: host.host, port: host.port) {
            known = [address]
            isName = false
        } else {
            isName = true
        }
    }

    /// Whether a connection to this address is still one to the server.
    func contain(_ address: SocketAddress) -> Bool {
        guard isName else { return true }
        if NIODeadline.now() >= freshUntil { lookUp() }
        return known.contains(address)
    }

    /// Passes the addresses to try, each time starting with another one; none if they are not known by `deadline`.
    ///
    /// - Parameter body: Called once on the event loop.
    func withNext(by deadline: NIODeadline, _ body: @escaping ([SocketAddress]) -> Void) {
        guard isName else { return body(known) }
        if NIODeadline.now() >= freshUntil { lookUp() }
        guard known.isEmpty, isLookingUp else { return body(inTurn()) }
        var hasAnswered = false
        let answerOnce: ([SocketAddress]) -> Void = { addresses in
            guard !hasAnswered else { return }
            hasAnswered = true
            body(addresses)
        }
        waiting.append(answerOnce)
        eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { answerOnce([]) }
    }

    private func inTurn() -> [SocketAddress] {
        guard !known.isEmpty else { return [] }
        turn = (turn + 1) % known.count
        return Array(known[turn...] + known[..<turn])
    }

    private func lookUp() {
        guard !isLookingUp else { return }
        isLookingUp = true
        let (host, lookUp) = (self.host, names.lookUp)
        NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { lookUp(host) }
            .assumeIsolated()
            .whenComplete { result in self.lookedUp((try? result.get()) ?? []) }
    }

    private func lookedUp(_ found: [SocketAddress]) {
        isLookingUp = false
        if !found.isEmpty { known = found }
        freshUntil = .now() + (found.isEmpty ? Self.pauseAfterFailure : names.freshFor)
        let waiting = self.waiting
        self.waiting = []
        for body in waiting { body(inTurn()) }
    }

    /// Blocks. IPv4 and IPv6 in the order that the system prefers (RFC 6724).
    @Sendable static func addresses(of host: HostPort) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.host, String(host.port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            guard let address = info.ai_addr else { continue }
            if info.ai_family == AF_INET {
                found.append(address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) })
            } else if info.ai_family == AF_INET6 {
                found.append(
                    address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
                )
            }
        }
        return found
    }
}
