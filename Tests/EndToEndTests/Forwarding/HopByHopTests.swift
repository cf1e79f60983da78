import Testing

/// Hop-by-hop fields are not passed on (RFC 9110 section 7.6.1), all others are, unchanged.
@Suite struct HopByHopTests {
    @Test func clientsHopByHopFieldsAreRemoved() async throws {
        try await withGateway { fixture async throws in
            let fields = [
                "Connection: keep-alive, X-Mine, x-other", "Keep-Alive: timeout=5", "Proxy-Connection: keep-alive",
                "Proxy-Authorization: Basic eDp5", "TE: trailers, deflate", "X-Mine: 1", "X-Other: 2", "X-Kept: 3",
            ]
            _ = try await fixture.request("/open/x", fields: fields)
            let seen = try await fixture.backend.arrivals.next()
            for name in ["Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "X-Mine", "X-Other"] {
                #expect(seen.fields[name] == [], "\(name)")
            }
            #expect(!seen.fields.list("TE").contains("deflate"))
            #expect(Set(seen.fields.list("Connection")).isSubset(of: ["keep-alive", "te"]))
            #expect(seen.fields["X-Kept"] == ["3"])
        }
    }

    @Test func backendsHopByHopFieldsAreRemoved() async throws {
        let raw = """
            HTTP/1.1 200 OK\r
            Content-Length: 2\r
            Connection: keep-alive, X-Mine\r
            Keep-Alive: timeout=5\r
            X-Mine: 1\r
            Proxy-Connection: keep-alive\r
            Upgrade: websocket\r
            X-Kept: 3\r
            \r
            ok
            """
        try await withGateway(backend: .response(raw)) { fixture async throws in
            let response = try await fixture.request("/open/x")
            #expect(response.body.text == "ok")
            for name in ["Keep-Alive", "X-Mine", "Proxy-Connection", "Upgrade"] {
                #expect(response.fields[name] == [], "\(name)")
            }
            #expect(response.fields["X-Kept"] == ["3"])
        }
    }

    @Test func backendsFieldsPassInOrderWithTheirDuplicates() async throws {
        let raw =
            "HTTP/1.1 201 Made It\r\nSet-Cookie: a=1\r\nX-B: 2\r\nSet-Cookie: b=2; Path=/\r\nContent-Length: 0\r\n\r\n"
        try await withGateway(backend: .response(raw)) { fixture async throws in
            let response = try await fixture.request("/open/x")
            #expect(response.status == 201)
            #expect(response.fields["Set-Cookie"] == ["a=1", "b=2; Path=/"])
            #expect(response.fields["X-B"] == ["2"])
        }
    }
}
