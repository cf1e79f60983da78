import Gateway
import NIOCore
import Synchronization
import TestSupport

/// A name service whose only name moves when a test says so. It is asked again for each request.
final class ChangingNames: Sendable {
    private let port: Mutex<Int>
    private let answers = Mailbox<Int>("a name to be looked up")

    /// - Parameter port: Where the name is at first, on 127.0.0.1.
    init(port: Int) { self.port = Mutex(port) }

    var names: ServerNames {
        ServerNames(
            lookUp: { [self] _ in
                let port = port.withLock { $0 }
                answers.put(port)
                return (try? SocketAddress(ipAddress: "127.0.0.1", port: port)).map { [$0] } ?? []
            },
            freshFor: .zero
        )
    }

    func move(to port: Int) { self.port.withLock { $0 = port } }

    /// Returns once the answer was `port`.
    func haveSaid(_ port: Int) async throws {
        while try await answers.next() != port {}
    }
}
