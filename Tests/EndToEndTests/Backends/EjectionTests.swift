import Testing

/// A server that fails its requests is left alone for a while, as long as there are others.
@Suite struct EjectionTests {
    @Test func aServerThatFailsIsLeftAloneAndComesBack() async throws {
        let works = Switch(false)
        let script = { (place: Int) in
            BackendScript { exchange in
                try await exchange.body()
                if place == 0, !works.isOn { return try await exchange.reset() }
                try await exchange.sendOK("\(place)")
            }
        }
        try await withFleet(2, script: script) { fixture, fleet async throws in
            var failed = 0
            // A POST is not made again, so that each failure is one request.
            for _ in 0..<40 where try await fixture.request("/open/x", method: "POST").status == 502 { failed += 1 }
            #expect(failed == 5)
            #expect(fleet.counts == [5, 35])
            let labels = ["server": fleet.label(0)]
            #expect(try await fixture.metrics().value("gatehouse_backend_healthy", labels) == 0)

            // The last resort: it is all there is, and it answers.
            works.turn(on: true)
            await fleet.servers[1].stop()
            #expect(try await fixture.request("/open/x", method: "POST").body.text == "0")
            #expect(try await fixture.metrics().value("gatehouse_backend_healthy", labels) == 1)
        }
    }

    @Test func aServersOwnErrorsAreNoFailures() async throws {
        let script = { (place: Int) in
            BackendScript.answers("HTTP/1.1 503 Busy\r\nContent-Length: 1\r\n\r\n\(place)")
        }
        try await withFleet(2, script: script) { fixture, fleet async throws in
            for _ in 0..<40 { #expect(try await fixture.request("/open/x").status == 503) }
            #expect(fleet.counts == [20, 20])
        }
    }
}
