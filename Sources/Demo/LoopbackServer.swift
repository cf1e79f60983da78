public import Hummingbird
public import Logging
import ServiceLifecycle

/// One HTTP server on loopback.
public actor LoopbackServer {
    private struct NotBound: Error {}

    private let name: String
    private let logger: Logger
    private var running: (group: ServiceGroup, task: Task<Void, any Error>)?

    public init(name: String, logger: Logger) {
        self.name = name
        self.logger = logger
    }

    /// - Parameter port: 0 for any free one.
    /// - Returns: The port, once connections are accepted.
    public func start<Context: RequestContext>(
        _ router: Router<Context>,
        port: Int
    ) async throws -> Int where Context: InitializableFromSource<ApplicationRequestContextSource> {
        let (bound, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: name),
            onServerRunning: { continuation.yield($0.localAddress?.port ?? port) },
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(services: [application], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let task = Task {
            do {
                try await group.run()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
                throw error
            }
        }
        running = (group, task)
        for try await port in bound { return port }
        throw NotBound()
    }

    public func shutdown() async {
        guard let running else { return }
        self.running = nil
        await running.group.triggerGracefulShutdown()
        // The result does not matter after a requested end.
        _ = await running.task.result
    }
}
