import Synchronization
import TestSupport

/// A gateway in a process of its own, on ports that it keeps across restarts.
final class InstanceProcess: Sendable {
    let instance: Instance
    private let file: String
    private let sealingKeys: String?
    private let started: @Sendable (ServerProcess) -> Void
    private let process = Mutex<ServerProcess?>(nil)

    /// - Parameters:
    ///   - file: Its tenants.yaml.
    ///   - sealingKeys: `GATEHOUSE_KEY`; nil: none.
    ///   - started: Called with each process, to end it later.
    init(
        _ instance: Instance,
        file: String,
        sealingKeys: String?,
        started: @escaping @Sendable (ServerProcess) -> Void
    ) {
        self.instance = instance
        self.file = file
        self.sealingKeys = sealingKeys
        self.started = started
    }

    /// Runs the program and waits until it serves and is ready.
    func start() async throws {
        var environment = ["TEST_SECRET": TestIssuer.secret]
        environment["GATEHOUSE_KEY"] = sealingKeys
        let new = try ServerProcess(try GatehouseProgram.path(), ["run", "--config", file], environment: environment)
        process.withLock { $0 = new }
        started(new)
        try await new.line(with: "admin listening")
        try await until("the instance is ready") { try await instance.readiness().status == 200 }
    }

    /// Stops it (SIGTERM) and starts it again.
    ///
    /// - Returns: The exit status of the stopped process.
    func replace() async throws -> Int32? {
        let old = process.withLock { $0 }
        old?.terminate()
        let status = try await old?.end()
        try await start()
        return status
    }

    /// Kills it (SIGKILL).
    func kill() async throws {
        try await process.withLock { $0 }?.kill()
    }
}
