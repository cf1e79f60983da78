import Testing

/// `limits` on connections: their number and how long they may be idle.
@Suite struct AcceptLimitTests {
    // MARK: connections

    /// Connections with one response each, so that the gateway has accepted them.
    private func visitors(_ count: Int, _ fixture: GatewayFixture) async throws -> [RawClient] {
        var visitors: [RawClient] = []
        for _ in 0..<count {
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            visitors.append(client)
        }
        return visitors
    }

    @Test func connectionOverLimitIsRefused() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { connections: 3 }")) { fixture async throws in
            let visitors = try await visitors(3, fixture)
            for method in ["GET", "POST"] {
                let client = try await fixture.connect()
                let refused = try await client.request(fixture.head("/open/x", method: method), method: method)
                expectRefusal(refused, 503, "overloaded")
                #expect(refused.fields.list("Connection") == ["close"])
                #expect(try await client.untilClosed() == [])
                await client.close()
            }
            // Existing connections stay.
            for client in visitors {
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
            }
            #expect(fixture.backend.requests.count == 6)

            for client in visitors { await client.close() }
            _ = try await fixture.metrics { $0.value("gatehouse_connections", ["state": "open"]) == 0 }
            #expect(try await fixture.request("/open/x").status == 200)
        }
    }

    @Test func http2ConnectionOverLimitIsRefused() async throws {
        try await withGateway(GatewaySetup(gateway: "limits: { connections: 1 }")) { fixture async throws in
            let visitor = try await visitors(1, fixture)
            let client = HTTP2Client(try await fixture.connect())
            try await client.sendRaw(HTTP2Client.preface)
            try await client.send(.settings())
            // Either a refusal on the stream or the end of the connection, but no request.
            let stream = try? await client.open("/open/x")
            if let stream, case .response(let response) = try await client.outcome(of: stream) {
                expectRefusal(response, 503, "overloaded")
            }
            #expect(fixture.backend.requests.count == 1)
            try await visitor[0].send(fixture.head("/open/x"))
            #expect(try await visitor[0].response().status == 200)
        }
    }

    @Test func tlsConnectionOverLimitIsRefused() async throws {
        try await withTLSGateway(.tls(gateway: "limits: { connections: 1 }")) { fixture async throws in
            let first = try await fixture.connectTLS()
            let second = try await fixture.connectTLS()
            expectRefusal(try await second.request(fixture.head("/open/x")), 503, "overloaded")
            #expect(try await first.request(fixture.head("/open/x")).status == 200)
        }
    }

    @Test func connectionFloodIsClosedUnanswered() async throws {
        try await withTLSGateway(.tls(gateway: "limits: { connections: 2, idle_timeout: 10m }")) {
            fixture async throws in
            let visitors = [try await fixture.connectTLS(), try await fixture.connectTLS()]
            func awaitConnections(_ count: Double) async throws {
                _ = try await fixture.metrics { $0.value("gatehouse_connections", ["state": "open"]) == count }
            }
            // 16 more get a refusal after their handshake, which these do not finish; later ones are not even read.
            var held: [RawClient] = []
            for _ in 0..<16 { held.append(try await fixture.connect()) }
            try await awaitConnections(18)
            for address in fixture.addresses {
                for _ in 0..<15 {
                    let client = RawClient(try await Wire.connect(to: address))
                    #expect(try await client.untilClosed() == [])
                    await client.close()
                }
            }
            await held[0].close()
            try await awaitConnections(17)
            let refused = try await fixture.connectTLS()
            expectRefusal(try await refused.request(fixture.head("/open/x")), 503, "overloaded")
            for client in visitors {
                #expect(try await client.request(fixture.head("/open/x")).status == 200)
            }
            #expect(fixture.backend.requests.count == 2)
        }
    }

    /// One address holds all connections: some idle ones are closed for another's.
    @Test func addressWithAllConnectionsMakesRoomForAnother() async throws {
        let setup = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]\nlimits: { connections: 8 }")
        try await withGateway(setup) { fixture async throws in
            var visitors: [RawClient] = []
            for _ in 0..<8 {
                let client = try await fixture.connect()
                #expect(try await client.request(ProxyHeader.line4 + Array(fixture.head("/open/x").utf8)).status == 200)
                visitors.append(client)
            }
            // Refused until a connection is closed, within a tenth of a second.
            var status = try await fixture.request("/open/x").status
            #expect(status == 503)
            while status == 503 { status = try await fixture.request("/open/x").status }
            #expect(status == 200)
            var served = 0
            for client in visitors {
                try? await client.send(fixture.head("/open/x"))
                if let response = try? await client.response(), response.status == 200 { served += 1 }
            }
            #expect((1..<8).contains(served))
        }
    }

    /// A connection with an unread response must not be closed: the client would lose the rest.
    @Test func connectionWithUnreadResponseDoesNotMakeRoom() async throws {
        let setup = GatewaySetup(
            gateway: "trusted_proxies: [127.0.0.1/32]\nlimits: { connections: 8, header_timeout: 10m }",
            tenant: "limits: { body_rate: 0 }"
        )
        try await withGateway(setup) { fixture async throws in
            let http2 = try await fixture.http2(.initialWindowSize(0), proxyHeader: ProxyHeader.line4)
            await http2.keepWindowsShut()
            let stream = try await http2.open("/open/x")
            _ = try await fixture.metrics { $0.value("gatehouse_client_backlog_bytes").map { $0 > 0 } ?? false }
            for _ in 0..<7 { try await fixture.connect().send(ProxyHeader.line4) }
            _ = try await fixture.metrics { $0.value("gatehouse_connections", ["state": "open"]) == 8 }

            // Six of the idle connections are closed, and no other.
            var newcomers: [RawClient] = []
            while newcomers.count < 6 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/open/x"))
                if try await client.response().status == 200 { newcomers.append(client) } else { await client.close() }
            }
            try await http2.send(.windowUpdate(stream, 65_535))
            #expect(try await http2.response(on: stream).status == 200)
        }
    }

    // MARK: header_timeout

    /// Longer than a busy machine takes for a handshake.
    private static let short = "limits: { header_timeout: 3s, idle_timeout: 10m }"

    @Test(arguments: ["G", "GET /open/x HTTP/1.1\r\nHost: app.test\r\n", "PRI * HTTP/2.0\r\n", "\r\n"])
    func partialRequestTimesOut(sent: String) async throws {
        try await withGateway(GatewaySetup(gateway: Self.short)) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(sent)
            let response = try await client.untilClosed().text
            // A truncated preface is a request of an unknown version.
            let status = sent.hasPrefix("PRI") ? "505" : "408"
            #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func partialProxyHeaderTimesOut() async throws {
        let setup = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]\n\(Self.short)")
        try await withGateway(setup) { fixture async throws in
            for beginning in [Array(ProxyHeader.line4.prefix(9)), Array(ProxyHeader.binary4.prefix(20))] {
                let client = try await fixture.connect()
                try await client.send(beginning)
                let response = try await client.untilClosed().text
                #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 4"), "\(response)")
            }
            // The request after a header has no more time than another.
            let client = try await fixture.connect()
            try await client.send(ProxyHeader.line4)
            _ = try await client.untilClosed()
        }
    }

    @Test func partialHandshakeTimesOut() async throws {
        try await withTLSGateway(.tls(gateway: Self.short)) { fixture async throws in
            let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]
            for beginning in [[0x16], hello] {
                let client = try await fixture.connect()
                try await client.send(beginning)
                _ = try await client.untilClosed()
            }
        }
    }

    @Test func partialRequestOverTLSTimesOut() async throws {
        try await withTLSGateway(.tls(gateway: Self.short)) { fixture async throws in
            let client = try await fixture.connectTLS()
            let response = try await client.request("GET /open/x HTT")
            #expect(response.status == 408)
            #expect(try await client.untilClosed() == [])
        }
    }

    @Test func drippingRequestTimesOut() async throws {
        let setup = GatewaySetup(gateway: "limits: { header_timeout: 300ms, idle_timeout: 10m }")
        try await withGateway(setup) { fixture async throws in
            let client = try await fixture.connect()
            let dripping = Task {
                // One byte per other request: far longer than the timeout.
                for byte in fixture.head("/open/\(String(repeating: "x", count: 3000))").utf8 {
                    try await client.send([byte])
                    _ = try await fixture.request("/refused")
                }
            }
            let response = try await client.untilClosed().text
            #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 408 "), "\(response)")
            dripping.cancel()
            await client.close()
            _ = await dripping.result
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    // MARK: idle_timeout

    /// Longer than a busy machine takes for a handshake.
    private static let idle = "limits: { header_timeout: 10m, idle_timeout: 3s }"

    @Test func silentConnectionIsClosed() async throws {
        try await withTLSGateway(.tls(gateway: Self.idle)) { fixture async throws in
            #expect(try await fixture.connect().untilClosed() == [])
            let plain = fixture.keep(RawClient(try await Wire.connect(to: fixture.addresses[1])))
            #expect(try await plain.untilClosed() == [])
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        try await withTLSGateway(.tls(gateway: Self.idle)) { fixture async throws in
            let client = try await fixture.connectTLS()
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            #expect(try await client.untilClosed() == [])

            let http2 = try await fixture.http2TLS()
            #expect(try await http2.request("/open/x").status == 200)
            while try await http2.event(on: 0) != nil {}
            #expect(await http2.lastGoAway?.code == .noError)
        }
    }

    @Test func slowResponseOutlivesIdleTimeout() async throws {
        let slow = Gate("an idle connection was closed")
        let script = BackendScript.ok(after: slow, at: "/open/slow")
        try await withGateway(GatewaySetup(gateway: Self.idle), backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/slow"))
            let http2 = try await fixture.http2()
            let stream = try await http2.open("/open/slow")
            _ = try await fixture.backend.arrivals.next()
            _ = try await fixture.backend.arrivals.next()
            // Two idle timeouts of other connections pass.
            for _ in 0..<2 { _ = try await fixture.connect().untilClosed() }
            slow.open()
            #expect(try await client.response().status == 200)
            #expect(try await http2.response(on: stream).status == 200)
        }
    }
}
