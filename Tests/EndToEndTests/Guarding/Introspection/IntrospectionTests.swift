import Testing
import Verification

/// Opaque tokens and their introspection.
@Suite struct IntrospectionTests {
    private static let token = "opaque-2YotnFZFEjr1zCsicMWpAA"

    @Test func activeTokenIsAccepted() async throws {
        let tenant = """
            identity: { headers: { X-User-Id: sub, X-Client: client_id, X-Active: active }, token: strip }
            access: [ { path: /**, allow: { roles: [admin], scopes: [read] } } ]
            """
        try await withIntrospection(tenant: tenant) { fixture, stub, _ async throws in
            stub.activate(fixture.keepSecret(Self.token), ["client_id": "app", "scope": "read write", "role": "admin"])
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
            let seen = try #require(fixture.backend.requests.last?.fields)
            #expect(seen["X-User-Id"] == ["alice"])
            #expect(seen["X-Client"] == ["app"])
            #expect(seen["X-Active"] == [])
            #expect(seen["Authorization"] == [])
            #expect(stub.complaints == [])
        }
    }

    @Test func inactiveTokenIsRefused() async throws {
        try await withIntrospection { fixture, stub, _ async throws in
            let refused = try await fixture.request("/x", token: fixture.keepSecret(Self.token))
            expectRefusal(refused, 401, "invalid_token")
            #expect(refused.fields["WWW-Authenticate"].first?.contains("error=\"invalid_token\"") == true)
            expectRefusal(try await fixture.request("/x", token: Self.token), 401, "invalid_token")
            #expect(stub.asked == [Self.token])
            #expect(fixture.backend.requests.isEmpty)
            // It is ignored on an open path.
            #expect(try await fixture.request("/open/x", token: Self.token).status == 200)
        }
    }

    @Test(
        arguments: [
            ["active": "true"], ["exp": "4102444800"], ["exp": 1], ["aud": "other"], ["aud": ["other"]], ["sub": 7],
            ["token_type": "refresh_token"], ["nbf": 4_102_444_800], ["exp": .null], ["iss": ["a"]],
        ] as [JSONObject]
    )
    func unacceptableClaimsAreRefused(claims: JSONObject) async throws {
        try await withIntrospection { fixture, stub, _ async throws in
            stub.activate(fixture.keepSecret(Self.token), claims)
            let status = try await fixture.request("/x", token: Self.token).status
            #expect(status == (claims["active"] == nil ? 401 : 503))
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func tokenIsFormEncodedInIntrospection() async throws {
        try await withIntrospection { fixture, stub, _ async throws in
            let token = fixture.keepSecret("a-._~+/z09==")
            stub.activate(token)
            #expect(try await fixture.request("/x", token: token).status == 200)
            #expect(stub.asked == [token])
        }
    }

    /// Requests on two event loops share one response.
    @Test func concurrentRequestsShareOneIntrospection() async throws {
        try await withIntrospection(gateway: "threads: 2") { fixture, stub, server async throws in
            let gate = Gate("the introspection endpoint")
            stub.wait(at: gate)
            stub.activate(fixture.keepSecret(Self.token))
            var clients: [RawClient] = []
            for _ in 0..<100 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/x", token: Self.token))
                clients.append(client)
            }
            _ = try await server.arrivals.next()
            gate.open()
            for client in clients { #expect(try await client.response().status == 200) }
            #expect(stub.asked == [Self.token])
            #expect(fixture.backend.requests.count == 100)
        }
    }

    @Test func http2StreamsWaitForIntrospection() async throws {
        try await withIntrospection { fixture, stub, server async throws in
            let gate = Gate("the introspection endpoint")
            stub.wait(at: gate)
            stub.activate(fixture.keepSecret(Self.token))
            let client = try await fixture.http2()
            let fields = [("authorization", "Bearer \(Self.token)")]
            var streams: [Int] = []
            for _ in 0..<10 { streams.append(try await client.open("/x", fields: fields)) }
            let refused = try await client.open("/x", fields: [("authorization", "Bearer unknown")])
            let open = try await client.request("/open/x")
            #expect(open.status == 200)
            _ = try await server.arrivals.next()
            gate.open()
            for stream in streams { #expect(try await client.response(on: stream).status == 200) }
            expectRefusal(try await client.response(on: refused), 401, "invalid_token")
            #expect(stub.asked.sorted() == [Self.token, "unknown"])
        }
    }

    /// The connection's next request is independent.
    @Test func clientDisconnectDoesNotCancelIntrospection() async throws {
        try await withIntrospection { fixture, stub, server async throws in
            let gate = Gate("the introspection endpoint")
            stub.wait(at: gate)
            stub.activate(fixture.keepSecret(Self.token))
            let leaving = try await fixture.connect()
            try await leaving.send(fixture.head("/gone", token: Self.token))
            _ = try await server.arrivals.next()
            await leaving.close()
            gate.open()
            #expect(try await fixture.request("/x", token: Self.token).status == 200)
            #expect(fixture.backend.requests.map(\.target) == ["/x"])
        }
    }
}
