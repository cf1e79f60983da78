import Testing

/// Priorities, which RFC 9113 section 5.3 deprecates: they may be sent, and change nothing.
@Suite struct PriorityTests {
    @Test func prioritiesOfEveryKindAreTaken() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(
                .priority(1, on: 0, weight: 0),
                .priority(1, on: 0, weight: 255),
                .priority(3, on: 1),
                .priority(5, on: 1, exclusive: true),
                .priority(2, on: 0)
            )
            try await client.expectAlive()
        }
    }

    /// A PRIORITY opens nothing, so that lower identifiers stay free (RFC 9113 section 5.1.1).
    @Test func aPriorityDoesNotOpenItsStream() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.priority(9, on: 0))
            #expect(try await client.request("/open/1").status == 200)
            #expect(try await client.request("/open/3").status == 200)
        }
    }

    @Test func aPriorityMayComeInsideARequestAndAfterIt() async throws {
        try await withGateway(backend: .echo) { fixture async throws in
            let client = try await fixture.http2()
            let stream = try await client.open("/open/x", method: "POST", end: false)
            try await client.send(.data(stream, "a"), .priority(stream, on: 0), .data(stream, "b", end: true))
            #expect(try await client.answer(on: stream).body.text == "ab")
            try await client.send(.priority(stream, on: 0))
            try await client.expectAlive()
        }
    }

    @Test func aPriorityOfTheConnectionIsAConnectionError() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            try await client.send(.priority(0, on: 1))
            try await client.expectConnectionError(.protocolError)
        }
    }

    /// RFC 7540 section 5.3.1 made it a stream error; RFC 9113 does not speak of it any more.
    @Test func aStreamThatDependsOnItselfIsRefusedOrTaken() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.http2()
            let stream = await client.newStream()
            let block = HeaderBlock(fields: HTTP2Client.fields("/open/x"))
            try await client.send(.headers(stream, block, dependency: stream))
            switch try await client.outcome(of: stream) {
            case .answered(let response): #expect(response.status == 200)
            case .reset(let code): #expect(code == .protocolError)
            case .ended(let code): #expect(code == .protocolError)
            }
            let other = try await fixture.http2()
            try await other.send(.priority(7, on: 7))
            if try await other.sync() {
                #expect([[], [.reset(.protocolError)]].contains(await other.ready(on: 7)))
                try await other.expectAlive()
            } else {
                #expect(await other.lastGoAway?.code == .protocolError)
            }
        }
    }
}
