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
