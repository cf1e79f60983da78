import Testing

/// Hop-by-hop fields are not passed on (RFC 9110 section 7.6.1), all others are, unchanged. `BackendRequestTests` and
/// `ClientHeadWriterTests` have them all.
@Suite struct HopByHopTests {
    @Test func hopByHopFieldsEndAtGateway() async throws {
        let script = BackendScript.response(
            "HTTP/1.1 201 Made It\r\nConnection: keep-alive, X-Mine\r\nKeep-Alive: timeout=5\r\nX-Mine: 1\r\n"
                + "Upgrade: websocket\r\nSet-Cookie: a=1\r\nX-Kept: 3\r\nSet-Cookie: b=2; Path=/\r\n"
                + "Content-Length: 2\r\n\r\nok"
        )
        try await withGateway(backend: script) { fixture async throws in
            let fields = [
                "Connection: keep-alive, X-Mine, x-other", "Keep-Alive: timeout=5", "Proxy-Authorization: Basic eDp5",
                "TE: trailers, deflate", "X-Mine: 1", "X-Other: 2", "X-Kept: 3",
            ]
            let response = try await fixture.request("/open/x", fields: fields)
            let seen = try await fixture.backend.arrivals.next()
            for name in ["Keep-Alive", "Proxy-Authorization", "X-Mine", "X-Other", "Upgrade"] {
                #expect(seen.fields[name] == [] && response.fields[name] == [], "\(name)")
            }
            #expect(!seen.fields.list("TE").contains("deflate"))
            #expect(Set(seen.fields.list("Connection")).isSubset(of: ["keep-alive", "te"]))
            #expect(seen.fields["X-Kept"] == ["3"] && response.fields["X-Kept"] == ["3"])
            #expect(response.status == 201 && response.body.text == "ok")
            #expect(response.fields["Set-Cookie"] == ["a=1", "b=2; Path=/"])
        }
    }
}
