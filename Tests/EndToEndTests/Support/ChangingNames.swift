import Foundation
import Gateway
import NIOCore
import Synchronization
import TestSupport
import Upstream

/// A name service whose only name moves when a test says so. It is asked again for each request.
final class ChangingNames: Sendable {
    private let port: Mutex<Int>
    private let answers = Mailbox<Int>("a name to be looked up")
    /// Where look-ups wait while they are held. They may block: each has a thread of its own.
    private let gate = NSCondition()
    private let isHeld = Mutex(false)

    /// - Parameter port: Where the name is at first, on 127.0.0.1.
    init(port: Int) { self.port = Mutex(port) }

    var names: ServerNames {
        ServerNames(
            lookUp: { [self] _ in
                waitWhileHeld()
                let port = port.withLock { $0 }
                answers.put(port)
                return (try? SocketAddress(ipAddress: "127.0.0.1", port: port)).map { [$0] } ?? []
            },
            freshFor: .zero
        )
    }

    func move(to port: Int) { self.port.withLock { $0 = port } }

    /// Runs `body` while look-ups wait, so that addresses stay as they are.
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

    /// Returns once the answer was `port`.
    func haveSaid(_ port: Int) async throws {
        while try await answers.next() != port {}
    }
}
