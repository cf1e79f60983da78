import Testing

/// A failing server is ejected for a while, as long as there are others.
@Suite struct EjectionTests {
    @Test func failingServerIsEjectedAndReturns() async throws {
        let works = Switch(false)
        let script = { (index: Int) in
            BackendScript { exchange in
                try await exchange.body()
                if index == 0, !works.isOn { return try await exchange.reset() }
                try await exchange.sendOK("\(index)")
            }
        }
        try await withFleet(2, script: script) { fixture, fleet async throws in
            var failed = 0
            // A POST is not retried, so each failure is one request.
            for _ in 0..<40 where try await fixture.request("/open/x", method: "POST").status == 502 { failed += 1 }
            #expect(failed == 5)
            #expect(fleet.counts == [5, 35])
            let labels = ["server": fleet.label(0)]
            #expect(try await fixture.metrics().value("gatehouse_backend_healthy", labels) == 0)

            // The only server left is tried although it is ejected.
            works.turn(on: true)
            await fleet.servers[1].stop()
            #expect(try await fixture.request("/open/x", method: "POST").body.text == "0")
            #expect(try await fixture.metrics().value("gatehouse_backend_healthy", labels) == 1)
        }
    }

    @Test func errorResponsesDoNotEjectServer() async throws {
        let script = { (index: Int) in
            BackendScript.response("HTTP/1.1 503 Busy\r\nContent-Length: 1\r\n\r\n\(index)")
        }
        try await withFleet(2, script: script) { fixture, fleet async throws in
            for _ in 0..<40 { #expect(try await fixture.request("/open/x").status == 503) }
            #expect(fleet.counts == [20, 20])
        }
    }
}
