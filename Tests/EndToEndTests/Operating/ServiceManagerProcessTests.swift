import Foundation
import TestSupport
import Testing

/// The program's notifications to a service manager, and `gatehouse health`.
@Suite struct ServiceManagerProcessTests {
    @Test func serviceManagerIsNotifiedOfStartWatchdogAndStop() async throws {
        try await withServedProgram(watchdog: "100000") { served in
            #expect(try await served.manager.next() == ["READY=1", "STATUS=Serving"])
            for _ in 0..<3 { #expect(try await served.manager.next() == ["WATCHDOG=1"]) }
            served.process.terminate()
            while true {
                let notice = try await served.manager.next()
                if notice == ["WATCHDOG=1"] { continue }
                #expect(notice.first == "STOPPING=1")
                break
            }
            #expect(try await served.process.end() == 0)
        }
    }

    @Test func serviceManagerIsNotifiedOfReloads() async throws {
        try await withServedProgram { served in
            _ = try await served.manager.next()
            let text = try String(contentsOfFile: served.file, encoding: .utf8)
            for (changed, status) in [
                (text.replacing("[app.test]", with: "[app.test, other.test]"), "STATUS=Serving configuration 2"),
                ("version: 1\n", "STATUS=Serving configuration 2; the one read after it was refused"),
            ] {
                try Data(changed.utf8).write(to: URL(filePath: served.file))
                served.process.hangUp()
                // The file watcher may reload in between.
                while true {
                    let reloading = try await served.manager.next()
                    #expect(reloading.first == "RELOADING=1")
                    #expect(reloading.contains { $0.hasPrefix("MONOTONIC_USEC=") })
                    let ready = try await served.manager.next()
                    #expect(ready.first == "READY=1")
                    if ready == ["READY=1", status] { break }
                }
            }
        }
    }

    @Test func healthCommandReportsAdminListener() async throws {
        try await withServedProgram { served in
            _ = try await served.manager.next()
            for question in [[], ["--alive"]] {
                let run = try await GatehouseProgram.run(["health", "--admin", served.admin] + question)
                #expect(run.exit == 0, "\(run.errors)")
                #expect(run.output == (question.isEmpty ? "ready\n" : "ok\n"))
            }
            served.process.terminate()
            #expect(try await served.process.end() == 0)
            let run = try await GatehouseProgram.run(["health", "--admin", served.admin])
            #expect(run.exit == 1)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("no answer from \(served.admin)"))
        }
    }

    @Test func healthCommandFailsForAnotherService() async throws {
        try await withGateway { fixture async throws in
            let run = try await GatehouseProgram.run(["health", "--admin", "http://127.0.0.1:\(fixture.address.port)"])
            #expect(run.exit == 1)
            #expect(run.errors.contains("is not the admin listener of a gateway"))
        }
    }
}

private struct ServedProgram {
    var process: ServerProcess
    /// Its tenants.yaml.
    var file: String
    /// The URL of its admin listener.
    var admin: String
    /// The lines of each datagram that it sends.
    var manager: Mailbox<[String]>
}

/// - Parameter watchdog: Microseconds.
private func withServedProgram(watchdog: String? = nil, _ body: (ServedProgram) async throws -> Void) async throws {
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
    var environment = ["TEST_SECRET": TestIssuer.secret, "NOTIFY_SOCKET": socket.path]
    environment["WATCHDOG_USEC"] = watchdog
    let process = try ServerProcess(GatehouseProgram.path(), ["run", "--config", file], environment: environment)
    let served = ServedProgram(
        process: process,
        file: file,
        admin: "http://127.0.0.1:\(ports[1])",
        manager: socket.received
    )
    let result: Result<Void, any Error>
    do { result = .success(try await body(served)) } catch { result = .failure(error) }
    try await process.kill()
    socket.close()
    try result.get()
}
