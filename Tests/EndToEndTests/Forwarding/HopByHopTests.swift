import Testing

/// Fields that concern one connection are not passed on (RFC 9110 section 7.6.1), all others are, as they came.
@Suite struct HopByHopTests {
    @Test func theClientsHopByHopFieldsGo() async throws {
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

    @Test func severalConnectionFieldsAllCount() async throws {
        try await withGateway { fixture async throws in
            let fields = ["Connection: X-One", "connection: , X-Two ,,", "X-One: 1", "x-two: 2"]
            _ = try await fixture.request("/open/x", fields: fields)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["X-One"] == [])
            #expect(seen.fields["X-Two"] == [])
        }
    }

    @Test func connectionCannotTakeAwayWhatTheGatewayNeeds() async throws {
        try await withGateway { fixture async throws in
            let names = "Host, Content-Length, X-User-Id, X-Forwarded-For, X-Request-Id, Forwarded, traceparent"
            let head = fixture.head(
                "/x",
                method: "POST",
                token: try fixture.token(),
                fields: ["Connection: \(names)", "Content-Length: 5"]
            )
            let response = try await fixture.send(head + "hello", method: "POST")
            guard response.status == 200 else {
                #expect(response.status == 400)
                return
            }
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["Host"] == ["app.test"])
            #expect(seen.body.text == "hello")
            for name in ["X-User-Id", "X-Forwarded-For", "X-Request-Id", "Forwarded", "traceparent"] {
                #expect(seen.fields[name].count == 1, "\(name)")
            }
        }
    }

    @Test func anUpgradeToAnotherHTTPIsNotForwarded() async throws {
        try await withGateway { fixture async throws in
            let fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]
            let response = try await fixture.request("/open/x", fields: fields)
            guard response.status == 200 else {
                #expect(response.status == 400)
                return
            }
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["Upgrade"] == [])
            #expect(seen.fields["HTTP2-Settings"] == [])
            #expect(!seen.fields.list("Connection").contains("upgrade"))
        }
    }

    @Test func theBackendsHopByHopFieldsGo() async throws {
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
        try await withGateway(backend: .answers(raw)) { fixture async throws in
            let response = try await fixture.request("/open/x")
            #expect(response.body.text == "ok")
            for name in ["Keep-Alive", "X-Mine", "Proxy-Connection", "Upgrade"] {
                #expect(response.fields[name] == [], "\(name)")
            }
            #expect(response.fields["X-Kept"] == ["3"])
        }
    }

    @Test func otherFieldsPassInOrderWithTheirDuplicates() async throws {
        try await withGateway { fixture async throws in
            let sent = ["X-B: 2", "Accept: a", "x-a: 1", "Accept: b", "X-B:", "X-C: a,  b ;c=\"d\"", "X-D: caf\u{e9}"]
            _ = try await fixture.request("/open/x", fields: sent)
            let seen = try await fixture.backend.arrivals.next()
            let kept = seen.fields.lines.filter {
                ["x-a", "x-b", "x-c", "x-d", "accept"].contains($0.name.lowercased())
            }
            #expect(kept.map { "\($0.name): \($0.value)".trimmingSpaces } == sent.map(\.trimmingSpaces))
        }
    }

    @Test func theBackendsFieldsPassInOrderWithTheirDuplicates() async throws {
        let raw =
            "HTTP/1.1 201 Made It\r\nSet-Cookie: a=1\r\nX-B: 2\r\nSet-Cookie: b=2; Path=/\r\nContent-Length: 0\r\n\r\n"
        try await withGateway(backend: .answers(raw)) { fixture async throws in
            let response = try await fixture.request("/open/x")
            #expect(response.status == 201)
            #expect(response.fields["Set-Cookie"] == ["a=1", "b=2; Path=/"])
            #expect(response.fields["X-B"] == ["2"])
        }
    }

    @Test func theMethodAndTheVersionAreRight() async throws {
        try await withGateway { fixture async throws in
            for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "M-SEARCH"] {
                #expect(try await fixture.request("/open/x", method: method).status == 200)
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.method == method)
                #expect(seen.head.version == "HTTP/1.1")
            }
        }
    }
}
