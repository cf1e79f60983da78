import Logging
import Testing

@testable import Demo

struct SampleBackendsTests {
    @Test func startsOnFreePortsAndFreesThem() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let backends = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        let ports = try await backends.start(ports: .free)
        #expect(Set(ports.inOrder).count == 4)
        #expect(!ports.inOrder.contains(0))
        await backends.shutdown()

        let again = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        #expect(try await again.start(ports: ports) == ports)
        await again.shutdown()
    }

    @Test func takenPortIsAnError() async throws {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let first = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        let ports = try await first.start(ports: .free)
        let second = try SampleBackends(keys: try SampleKeys.generate(), logger: logger, now: { noon })
        await #expect(throws: (any Error).self) { try await second.start(ports: ports) }
        await first.shutdown()
    }
}
