import NIOCore
import NIOPosix
import TestSupport

/// A gate that opens once: a script waits at it until the test opens it.
final class Gate: Sendable {
    private let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    deinit {
        promise.fail(EndOfStream())
    }

    func open() {
        promise.succeed(())
    }

    func passed() async throws {
        try await promise.futureResult.bounded("the gate \"\(name)\"")
    }
}
