import Testing

/// SETTINGS (RFC 9113 section 6.5).
@Suite struct SettingsTests {
    @Test func everySettingsFrameIsAcknowledgedOnceAndInOrder() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.settings(.maxFrameSize(20_000)), .ping([1, 1, 1, 1, 1, 1, 1, 1]))
            try await client.send(.settings(), .settings(.maxConcurrentStreams(7)), .ping([2, 2, 2, 2, 2, 2, 2, 2]))
            #expect(try await client.sync())
            // The first is for the settings of the client's preface.
            #expect(
                await client.ready(on: 0) == [
                    .settingsAcknowledged, .settingsAcknowledged, .pingAcknowledged([1, 1, 1, 1, 1, 1, 1, 1]),
                    .settingsAcknowledged, .settingsAcknowledged, .pingAcknowledged([2, 2, 2, 2, 2, 2, 2, 2]),
                ]
            )
        }
    }

    @Test func anAcknowledgementIsNotAnswered() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            #expect(try await client.event(on: 0) == .settingsAcknowledged)
            // The gateway's settings are acknowledged by now; it sent them once.
            try await client.expectAlive()
            #expect(await client.ready(on: 0) == [])
        }
    }

    @Test func unknownParametersAreIgnored() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2(
                HTTP2Setting(parameter: 0, value: 1),
                HTTP2Setting(parameter: 0xff, value: 7),
                HTTP2Setting(parameter: 0xffff, value: 0xffff_ffff)
            )
            try await client.expectAlive()
        }
    }

    @Test func valuesAtTheirBoundsAreTaken() async throws {
        let good: [HTTP2Setting] = [
            .headerTableSize(0), .headerTableSize(0xffff_ffff), .enablePush(0), .enablePush(1),
            .maxConcurrentStreams(0),
            .maxConcurrentStreams(0xffff_ffff), .initialWindowSize(0x7fff_ffff), .maxFrameSize(16_384),
            .maxFrameSize(16_777_215), .maxHeaderListSize(0xffff_ffff),
        ]
        try await withGateway { fixture async throws in
            for setting in good {
                let client = try await fixture.http2(setting)
                try await client.expectAlive(comment: "\(setting)")
            }
        }
    }

    @Test func valuesPastTheirBoundsAreConnectionErrors() async throws {
        let bad: [(HTTP2Setting, HTTP2ErrorCode)] = [
            (.enablePush(2), .protocolError), (.enablePush(0xffff_ffff), .protocolError),
            (.initialWindowSize(0x8000_0000), .flowControlError),
            (.initialWindowSize(0xffff_ffff), .flowControlError), (.maxFrameSize(16_383), .protocolError),
            (.maxFrameSize(0), .protocolError), (.maxFrameSize(16_777_216), .protocolError),
        ]
        try await withGateway { fixture async throws in
            for (setting, code) in bad {
                let client = try await fixture.http2()
                try await client.send(.settings(.maxConcurrentStreams(50), setting))
                try await client.expectConnectionError(code, comment: "\(setting)")
            }
        }
    }

    @Test func settingsOfAStreamAreAConnectionError() async throws {
        try await withGateway { fixture async throws in
            for flags in [[], .acknowledgement] as [FrameFlags] {
                let client = try await fixture.http2()
                let stream = try await client.open("/open/x", method: "POST", end: false)
                try await client.send(HTTP2Frame(type: .settings, flags: flags, stream: stream))
                try await client.expectConnectionError(.protocolError)
            }
        }
    }

    /// The client's limit on field sections is advice; a head past it may be sent or the stream be reset.
    @Test func aLimitOnTheAnswersFieldsDoesNotHarmTheConnection() async throws {
        let long = String(repeating: "a", count: 2000)
        let script = BackendScript { exchange in
            try await exchange.body()
            let isCanary = exchange.head.path == "/open/canary"
            try await exchange.sendOK(fields: isCanary ? "" : "X-Long: \(long)\r\n")
        }
        try await withGateway(backend: script) { fixture async throws in
            let client = try await fixture.http2(.maxHeaderListSize(1000))
            switch try await client.outcome(of: try await client.open("/open/x")) {
            case .answered(let response): #expect(response.status == 502 || response.fields["x-long"] == [long])
            case .reset(let code): #expect(code != .noError)
            case .ended: Issue.record("the connection ended")
            }
            try await client.expectAlive()
        }
    }
}
