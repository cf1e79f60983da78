import NIOCore
import Tenants
import TestSupport
import Testing

/// A server that moves while requests are under way, and whose old place breaks off just then: what becomes of one
/// client's requests must not touch another's.
@Suite struct MovingServerTests {
    private static let setup = GatewaySetup(
        tenant: """
            backend: { servers: ["h2c://app.internal:80"] }
            identity: { headers: { X-User-Id: sub } }
            """
    )

    /// Answers all but POST.
    private static let old: HTTP2Backend.Script = { call in
        try await call.body()
        if call.method == "POST" { _ = try await call.ended.next() } else { try await call.answer() }
    }

    private static let new: HTTP2Backend.Script = { call in
        try await call.body()
        try await call.answer(call.fields["x-user-id"].joined(separator: ","))
    }

    /// Two heads of equal layout: with the offsets of one the other would lose no line of the client's own that the
    /// gateway has to write.
    private static func fields(_ name: String) -> [String] { ["\(name): admin"] }

    @Test(arguments: ["X-Other-I", "X-Other-Field-Of-Another-Length-Than-The-One-Of-The-Other-Client"])
    func requestKeepsItsOwnHeadWhenAnOldConnectionBreaksWhileItIsForwarded(otherField: String) async throws {
        let old = try await HTTP2Backend.start(Self.old)
        let new = try await HTTP2Backend.start(Self.new)
        let names = ChangingNames(port: old.port)
        try await withGateway(Self.setup, names: names.names) { fixture async throws in
            let token = try fixture.token()
            let first = try await fixture.connect()
            let second = try await fixture.connect()
            try await second.send(fixture.head("/warm", token: token))
            #expect(try await second.response().status == 200)
            // One that cannot be made again, and behind it one that waits to be read.
            let waiting = fixture.head("/b", token: token, fields: Self.fields(otherField))
            try await names.withLookUpsHeld {
                try await first.send(
                    fixture.head("/a", method: "POST", token: token, fields: ["Content-Length: 4"]) + "body" + waiting
                )
                try await old.post()
                names.move(to: new.port)
                // To the old place still: the look-up that it begins is not waited for.
                #expect(try await fixture.request("/warm", token: token).status == 200)
            }
            try await names.haveSaid(new.port)
            for _ in 0..<5 { _ = try await fixture.metrics() }

            // The loop stands still until both are there: the request, and then the end of the old connection.
            let halt = fixture.log.halt(at: "HTTP/2 connection error")
            let broken = HTTP2Client(try await fixture.connect())
            try await broken.sendRaw(HTTP2Client.preface + [UInt8](repeating: 0, count: 9))
            try await halt.isReached()
            try await second.send(fixture.head("/c", token: token, fields: Self.fields("X-User-Id")))
            try await old.reset()
            halt.end()

            let answer = try await second.response()
            #expect(answer.status == 200)
            #expect(answer.body.text == "alice")
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
