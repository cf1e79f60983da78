import Testing

/// Keep-alive connections to a backend.
@Suite struct KeptConnectionTests {
    @Test func connectionIsKeptAfterBodies() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            for fields in [["Content-Length: 5"], ["Transfer-Encoding: chunked"]] {
                let body = fields[0].hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n"
                let raw = fixture.head("/open/x", method: "POST", fields: fields) + body
                #expect(try await fixture.send(raw, method: "POST").body.text == "hello")
            }
            #expect(fixture.backend.connections == 1)
        }
    }

    @Test func concurrentRequestsUseSeparateConnections() async throws {
        let together = Gate("three requests are there")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await together.passed()
            try await exchange.sendOK(exchange.head.path)
        }
        try await withGateway(backend: script) { fixture async throws in
            var clients: [RawClient] = []
            for number in 0..<3 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/\(number)"))
                clients.append(client)
            }
            for _ in 0..<3 { _ = try await fixture.backend.arrivals.next() }
            #expect(fixture.backend.connections == 3)
            together.open()
            for (number, client) in clients.enumerated() {
                #expect(try await client.response().body.text == "/open/\(number)")
            }
        }
    }

    @Test func garbledResponseIsNotRetried() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/open/garbled" else { return try await exchange.sendOK() }
            try await exchange.send("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n")
        }
        try await withGateway(backend: script) { fixture async throws in
            // On a reused connection, where a silent close would be retried.
            #expect(try await fixture.request("/open/x").status == 200)
            expectRefusal(try await fixture.request("/open/garbled"), 502, "backend_unavailable")
            #expect(fixture.backend.requests.count { $0.target == "/open/garbled" } == 1)
        }
    }

    @Test func closedIdleConnectionIsNotUsed() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK()
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            for _ in 0..<10 { #expect(try await fixture.request("/open/x").status == 200) }
            #expect(fixture.backend.connections == 10)
        }
    }

    @Test func postIsNotSentTwice() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            if exchange.turn > 0 { return await exchange.close() }
            try await exchange.sendOK()
        }
        try await withGateway(backend: script) { fixture async throws in
            #expect(try await fixture.request("/open/x").status == 200)
            let raw = fixture.head("/open/x", method: "POST", fields: ["Content-Length: 5"]) + "hello"
            let response = try await fixture.send(raw, method: "POST")
            #expect(response.status == 502 || response.status == 200)
            #expect(fixture.backend.requests.count { $0.method == "POST" } == 1)
        }
    }

    @Test func clientDisconnectFreesServer() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/open/endless" else { return try await exchange.sendOK() }
            try await exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nstart")
            try await exchange.gone()
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            for reset in [false, true] {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/endless"))
                #expect(try await client.head().status == 200)
                if reset { try await client.reset() } else { await client.close() }
                _ = try await fixture.backend.ends.next()
            }
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    @Test func clientDisconnectBeforeResponseFreesServer() async throws {
        try await withGateway(backend: .silent) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/x"))
            _ = try await fixture.backend.arrivals.next()
            try await client.reset()
            _ = try await fixture.backend.ends.next()
        }
    }

    @Test func connectionIsNotReusedAfterEarlyResponse() async throws {
        let script = BackendScript { exchange in
            guard exchange.head.method == "POST" else {
                try await exchange.body()
                return try await exchange.sendOK(exchange.head.path)
            }
            exchange.skipBody()
            try await exchange.sendOK("early")
            try await exchange.gone()
            await exchange.close()
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/post", method: "POST", fields: ["Content-Length: 100"]) + "part")
            #expect(try await client.response(to: "POST").body.text == "early")
            await client.close()
            #expect(try await fixture.request("/open/next").body.text == "/open/next")
        }
    }
}
