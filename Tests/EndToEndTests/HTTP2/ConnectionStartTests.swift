import Testing

/// How a connection starts (RFC 9113 sections 3.3 and 3.4).
@Suite struct ConnectionStartTests {
    @Test func settingsFrameComesFirst() async throws {
        try await withGateway { fixture async throws in
            let client = HTTP2Client(try await fixture.connect())
            try await client.sendRaw(HTTP2Client.preface + HTTP2Frame.settings().bytes())
            let first = try #require(try await client.nextFrame())
            #expect(first.type == .settings)
            #expect(!first.flags.contains(.acknowledgement))
            guard case .settings(let settings) = try HTTP2Event.of(first) else {
                Issue.record("no settings: \(first)")
                return
            }
            let values = Dictionary(settings.map { ($0.parameter, $0.value) }) { _, last in last }
            #expect(values[2] == nil || values[2] == 0, "ENABLE_PUSH")
            #expect(values[3] == 100, "MAX_CONCURRENT_STREAMS")
            #expect((16_384...16_777_215).contains(values[5] ?? 16_384), "MAX_FRAME_SIZE")
            #expect((16_384...131_072).contains(values[6] ?? 0), "MAX_HEADER_LIST_SIZE")
            #expect(values[8] == 1, "ENABLE_CONNECT_PROTOCOL")
        }
    }

    @Test func requestsMayComeWithPreface() async throws {
        try await withGateway { fixture async throws in
            let client = HTTP2Client(try await fixture.connect())
            let fields = HTTP2Client.fields("/open/early")
            let stream = await client.newStream()
            try await client.sendRaw(HTTP2Client.preface)
            try await client.send(.settings(), .headers(stream, HeaderBlock(fields: fields)))
            #expect(try await client.response(on: stream).body.text == "ok")
            #expect(fixture.backend.requests.map(\.target) == ["/open/early"])
        }
    }

    @Test func prefaceMayArriveByteByByte() async throws {
        try await withGateway { fixture async throws in
            let client = HTTP2Client(try await fixture.connect())
            for byte in HTTP2Client.preface { try await client.sendRaw([byte]) }
            try await client.drip(.settings())
            #expect(try await client.request("/open/drip").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/drip"])
        }
    }

    @Test func wrongPrefaceEndsConnection() async throws {
        let wrong = [
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\rX", "PRI * HTTP/2.0\r\n\r\nsm\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\n\r\n\r\n\r\n\r\n", "PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n",
            "PRI / HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "pri * http/2.0\r\n\r\nsm\r\n\r\n", "PRI * HTTP/2.0\n\nSM\n\n\r\n\r\n\r\n\r\n",
        ]
        try await withGateway { fixture async throws in
            for preface in wrong {
                let client = try await fixture.connect()
                try await client.send(Array(preface.utf8) + HTTP2Frame.settings().bytes())
                try await client.untilClosed()
            }
            #expect(fixture.backend.connections == 0)
            #expect(try await fixture.request("/open/canary").status == 200)
        }
    }

    @Test func bothProtocolsShareOnePort() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.request("/open/two").status == 200)
            #expect(try await fixture.request("/open/one").status == 200)
            #expect(try await client.request("/open/two").status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/open/two", "/open/one", "/open/two"])
        }
    }

    /// RFC 9113 section 3.1: the upgrade of RFC 7540 is gone.
    @Test func upgradeToH2CIsIgnored() async throws {
        try await withGateway { fixture async throws in
            let fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]
            let response = try await fixture.request("/open/x", fields: fields)
            #expect(response.interim.isEmpty)
            #expect(response.status == 200 || response.status == 400)
            for request in fixture.backend.requests {
                #expect(request.fields["Upgrade"] == [])
                #expect(request.fields["HTTP2-Settings"] == [])
            }
        }
    }

    @Test func clientWithoutPrefaceIsDropped() async throws {
        let setup = GatewaySetup(gateway: "limits: { idle_timeout: 3s, header_timeout: 3s }")
        try await withGateway(setup) { fixture async throws in
            let half = HTTP2Client(try await fixture.connect())
            try await half.sendRaw(Array(HTTP2Client.preface.prefix(20)))
            try await half.raw.untilClosed()
            let mute = HTTP2Client(try await fixture.connect())
            try await mute.sendRaw(HTTP2Client.preface)
            try await mute.raw.untilClosed()
        }
    }
}
