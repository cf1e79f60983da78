import Dispatch
import Foundation
import Gateway
import Glibc
import Logging
import TestSupport
import Testing
import Upstream
import Verification

@testable import Tenants
@testable import gatehouse

/// A log reader that stops loses lines. Requests and shutdown do not wait for it.
@Suite struct StuckOutputTests {
    @Test func stuckLogReaderStopsNothing() async throws {
        let pipe = try StuckPipe(isFull: true)
        defer { pipe.end() }
        try await withProgram(errors: pipe.writer) { program async throws in
            #expect(try await program.manager.next() == ["READY=1", "STATUS=Serving"])
            #expect(try await program.instance.request().status == 401)
            program.process.terminate()
            #expect(try await program.ended.next() == 0)
        }
    }

    @Test func lostLogLinesAreReportedOnce() async throws {
        let pipe = try StuckPipe()
        defer { pipe.end() }
        let output = LogOutput(LogSettings(level: .info), to: pipe.writer)
        let (count, filler) = (6000, String(repeating: "x", count: 1000))
        for number in 0..<count { output.logger.info("\(number)", metadata: ["filler": "\(filler)"]) }
        let lost = try #require(output.logger.handler as? any ModuleLogHandler).lostLines
        #expect(lost > 0 && lost < count)

        let lines = pipe.lines()
        var (reported, read) = (0, 0)
        while reported + read < count {
            let line = try #require(try JSONParser.parse(Array(try await lines.next().utf8)).object)
            guard line["message"] == "lines of the log were lost" else {
                read += 1
                continue
            }
            #expect(line["level"] == "warning")
            reported += try #require(line["lines"]?.string.flatMap { Int($0) })
        }
        #expect(reported == lost)
        await output.flush()
    }

    @Test func stuckAccessLogReaderDoesNotDelayShutdown() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let values = [
            "backend": "http://127.0.0.1:9", "jwks": try scratch.write(try TestIssuer.shared().jwks, to: "jwks.json"),
        ]
        let reader = DispatchSemaphore(value: 0)
        defer { reader.signal() }
        let log = LogCapture()
        let gateway = Gateway(
            configuration: try GatewaySetup().configuration(values),
            logger: log.logger(),
            accessLog: .sink { _ in
                reader.wait()
                reader.signal()
            }
        )
        let address = try #require(try await gateway.start().listeners.first)
        let client = RawClient(try await Wire.connect(to: address))
        try await client.send("GET /x HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n")
        #expect(try await client.response().status == 401)
        await client.close()
        let ended = Mailbox<Void>("the end of the gateway")
        Task {
            await gateway.shutdown()
            ended.put(())
        }
        try await ended.next()
        #expect(log.text.contains("the last lines of the access log are not written"))
    }
}

private struct LoggingProgram {
    var process: Process
    var ended: Mailbox<Int32>
    var instance: Instance
    /// The lines of each datagram that it sends.
    var manager: Mailbox<[String]>
}

/// Runs `test` with the program, which is stopped afterwards.
///
/// - Parameter errors: Its standard error.
private func withProgram(errors: CInt, _ test: (LoggingProgram) async throws -> Void) async throws {
    let scratch = try Scratch()
    defer { scratch.remove() }
    let ports = [try await FreePort.find(), try await FreePort.find()]
    let file = try scratch.write(
        """
        version: 1
        gateway:
          listen: [ { address: "127.0.0.1:\(ports[0])" } ]
          admin: { address: "127.0.0.1:\(ports[1])" }
          store: "memory:"
          log: { level: trace, access: false }
        tenants:
          app:
            hosts: [app.test]
            backend: { servers: ["http://127.0.0.1:9"] }
            authenticate:
              issuers: [ { issuer: "https://id.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
        """,
        to: "tenants.yaml"
    )
    let socket = try DatagramSocket("\(scratch.path)/notify")
    defer { socket.close() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try GatehouseProgram.path())
    process.arguments = ["run", "--config", file]
    process.environment = ["TEST_SECRET": TestIssuer.secret, "NOTIFY_SOCKET": socket.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: errors, closeOnDealloc: false)
    let ended = Mailbox<Int32>("the end of gatehouse")
    process.terminationHandler = { ended.put($0.terminationStatus) }
    try process.start()
    let program = LoggingProgram(
        process: process,
        ended: ended,
        instance: Instance(
            address: HostPort(host: "127.0.0.1", port: ports[0]),
            admin: HostPort(host: "127.0.0.1", port: ports[1])
        ),
        manager: socket.received
    )
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    try await test(program)
}
