import Foundation
import Gateway
import NIOCore
import Synchronization
import TestSupport
import Upstream

/// A resolver with one name, whose port a test can change. Lookups are not cached.
final class MovingServerName: Sendable {
    private let port: Mutex<Int>
    private let responses = Mailbox<Int>("a name to be looked up")
    /// Blocks held lookups; each has a thread of its own.
    private let gate = NSCondition()
    private let isHeld = Mutex(false)

    /// - Parameter port: The initial port on 127.0.0.1.
    init(port: Int) { self.port = Mutex(port) }

    var names: ServerNames {
        ServerNames(
            lookUp: { [self] _ in
                waitWhileHeld()
                let port = port.withLock { $0 }
                responses.put(port)
                return (try? SocketAddress(ipAddress: "127.0.0.1", port: port)).map { [$0] } ?? []
            },
            freshFor: .zero
        )
    }

    func move(to port: Int) { self.port.withLock { $0 = port } }

    /// Runs `body` while lookups wait, so that addresses stay.
    func withLookUpsHeld(_ body: () async throws -> Void) async rethrows {
        hold(true)
        defer { hold(false) }
        try await body()
    }

    private func hold(_ isHeld: Bool) {
        gate.withLock {
            self.isHeld.withLock { $0 = isHeld }
            gate.broadcast()
        }
    }

    private func waitWhileHeld() {
        gate.withLock {
            while isHeld.withLock({ $0 }) { gate.wait() }
        }
    }

    /// Waits for a lookup that returned `port`.
    func awaitLookUp(of port: Int) async throws {
        while try await responses.next() != port {}
    }
}
