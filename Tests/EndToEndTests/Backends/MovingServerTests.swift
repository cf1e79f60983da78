import NIOCore
import Tenants
import TestSupport
import Testing

/// A server that moves while requests are under way, and whose old connection breaks just then: one client's requests
/// must not affect another's.
@Suite struct MovingServerTests {
    private static let setup = GatewaySetup(
        tenant: """
            backend: { servers: ["h2c://app.internal:80"] }
            identity: { headers: { X-User-Id: sub } }
            """
    )

    /// Responds to all but POST.
    private static let old: HTTP2Backend.Script = { call in
        try await call.body()
        if call.method == "POST" { _ = try await call.ended.next() } else { try await call.respond() }
    }

    private static let new: HTTP2Backend.Script = { call in
        try await call.body()
        try await call.respond(call.fields["x-user-id"].joined(separator: ","))
    }

    /// Two heads of equal layout: with the offsets of one the other would keep a line of the client's that the gateway
    /// must replace.
    private static func fields(_ name: String) -> [String] { ["\(name): admin"] }

    @Test(arguments: ["X-Other-I", "X-Other-Field-Of-Another-Length-Than-The-One-Of-The-Other-Client"])
    func brokenConnectionDoesNotMixRequestHeads(otherField: String) async throws {
        let old = try await HTTP2Backend.start(Self.old)
        let new = try await HTTP2Backend.start(Self.new)
        let names = MovingServerName(port: old.port)
        try await withGateway(Self.setup, names: names.names) { fixture async throws in
            let token = try fixture.token()
            let first = try await fixture.connect()
            let second = try await fixture.connect()
            #expect(try await second.request(fixture.head("/warm", token: token)).status == 200)
            // One that cannot be retried, and behind it one that is not read yet.
            let waiting = fixture.head("/b", token: token, fields: Self.fields(otherField))
            try await names.withLookUpsHeld {
                try await first.send(
                    fixture.head("/a", method: "POST", token: token, fields: ["Content-Length: 4"]) + "body" + waiting
                )
                try await old.post()
                names.move(to: new.port)
                // Still to the old address: the lookup that this starts is not awaited.
                #expect(try await fixture.request("/warm", token: token).status == 200)
            }
            try await names.awaitLookUp(of: new.port)
            for _ in 0..<5 { _ = try await fixture.metrics() }

            // Blocks the event loop until the request and the end of the old connection are both pending.
            let halt = fixture.log.halt(at: "HTTP/2 connection error")
            let broken = HTTP2Client(try await fixture.connect())
            try await broken.sendRaw(HTTP2Client.preface + [UInt8](repeating: 0, count: 9))
            try await halt.isReached()
            try await second.send(fixture.head("/c", token: token, fields: Self.fields("X-User-Id")))
            try await old.reset()
            halt.end()

            let response = try await second.response()
            #expect(response.status == 200)
            #expect(response.body.text == "alice")
            expectRefusal(try await first.response(to: "POST"), 502, "backend_unavailable")
            #expect(try await first.response().body.text == "alice")
            #expect(new.requests == 2)
            let errors = try await fixture.metrics().value("gatehouse_internal_errors_total")
            #expect(errors == 0)
        }
        await old.stop()
        await new.stop()
        #expect(new.complaints == [])
    }
}

extension HTTP2Backend {
    /// Returns once a POST has come.
    fileprivate func post() async throws {
        while try await calls.next().method != "POST" {}
    }
}
