import Testing
import Verification

/// Tokens that are bound to a key (RFC 9449), from the client's socket to the backend's.
@Suite struct ProofTests {
    private static let url = "http://app.test/orders"
    private static let required = GatewaySetup(tenant: "dpop: { need: required }")

    @Test func provenRequestIsForwardedWithProof() async throws {
        try await withGateway(Self.required) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let fields = try client.fields(token, Self.url)
            #expect(try await fixture.request("/orders", fields: fields).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.fields["DPoP"].count == 1)
            #expect(seen.fields["Authorization"] == ["DPoP \(token)"])
            #expect(seen.fields["X-User-Id"].count == 1)
        }
    }

    @Test func strippedTokenRemovesProof() async throws {
        let setup = GatewaySetup(tenant: "dpop: { need: required }\nidentity: { token: strip }")
        try await withGateway(setup) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let fields = try client.fields(token, Self.url)
            #expect(try await fixture.request("/orders", fields: fields).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.fields["DPoP"].isEmpty && seen.fields["Authorization"].isEmpty)
        }
    }

    @Test func stolenTokenIsRefusedWithoutValidProof() async throws {
        try await withGateway(Self.required) { fixture async throws in
            let (client, thief) = (try ProvingClient(), try ProvingClient())
            let token = try fixture.token(["cnf": client.confirmation])
            let seen = try client.fields(token, Self.url)
            #expect(try await fixture.request("/orders", fields: seen).status == 200)
            let tries: [(String, [String], String)] = [
                ("bearer", ["Authorization: Bearer \(token)"], "invalid_token"),
                ("no proof", ["Authorization: DPoP \(token)"], "invalid_dpop_proof"),
                ("own proof", try thief.fields(token, Self.url), "invalid_dpop_proof"),
                ("seen proof", seen, "invalid_dpop_proof"),
                ("proof of another request", try client.fields(token, "\(Self.url)/1"), "invalid_dpop_proof"),
                ("proof of another method", try client.fields(token, Self.url, method: "POST"), "invalid_dpop_proof"),
            ]
            for (name, fields, error) in tries {
                let response = try await fixture.request("/orders", fields: fields)
                expectRefusal(response, 401, "invalid_token", name)
                let challenge = response.fields["WWW-Authenticate"]
                #expect(
                    challenge.count == 1 && challenge[0].hasPrefix("DPoP realm=\"app\", error=\"\(error)\""),
                    "\(name)"
                )
                #expect(challenge.first?.hasSuffix("algs=\"ES256 EdDSA\"") == true, "\(name)")
            }
            #expect(fixture.backend.requests.count == 1)
        }
    }

    @Test func proofWorksOverHTTP2() async throws {
        try await withGateway(Self.required) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let proof = try client.proof(token, Self.url)
            let fields = [("authorization", "DPoP \(token)"), ("dpop", proof)]
            let http2 = try await fixture.http2()
            #expect(try await http2.request("/orders", fields: fields).status == 200)
            expectRefusal(try await http2.request("/orders", fields: fields), 401, "invalid_token")
            let twice = fields + [("dpop", try client.proof(token, Self.url))]
            expectRefusal(try await http2.request("/orders", fields: twice), 401, "invalid_token")
        }
    }

    @Test func pipelinedRequestsAreProvenIndividually() async throws {
        try await withGateway(Self.required) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let connection = try await fixture.connect()
            for _ in 0..<20 {
                try await connection.send(fixture.head("/orders", fields: try client.fields(token, Self.url)))
                #expect(try await connection.response().status == 200)
            }
            let used = fixture.head("/orders", fields: try client.fields(token, Self.url))
            // Pipelined requests are decided individually.
            try await connection.send(used + used)
            let responses = [try await connection.response().status, try await connection.response().status]
            #expect(responses == [200, 401])
        }
    }

    @Test func nonceIsOfferedAndAccepted() async throws {
        let setup = GatewaySetup(tenant: "dpop: { need: optional, nonce: true }")
        try await withGateway(setup) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let first = try await fixture.request("/orders", fields: try client.fields(token, Self.url))
            expectRefusal(first, 401, "invalid_token")
            #expect(first.fields["WWW-Authenticate"].contains { $0.contains("error=\"use_dpop_nonce\"") })
            #expect(first.fields["WWW-Authenticate"].count == 1)
            #expect(first.fields["Cache-Control"] == ["no-store"])
            let nonce = try offeredNonce(first)
            let second = try await fixture.request("/orders", fields: try client.fields(token, Self.url, nonce: nonce))
            #expect(second.status == 200)
            #expect(second.fields["DPoP-Nonce"].isEmpty)
            let forged = String(nonce.dropLast()) + (nonce.hasSuffix("A") ? "B" : "A")
            let third = try await fixture.request("/orders", fields: try client.fields(token, Self.url, nonce: forged))
            expectRefusal(third, 401, "invalid_token")
            // An ordinary token needs no proof.
            #expect(try await fixture.request("/orders", token: try fixture.token()).status == 200)
        }
    }

    @Test func proofsNeverShowInLogs() async throws {
        try await withGateway(Self.required) { fixture async throws in
            let client = try ProvingClient()
            let token = try fixture.token(["cnf": client.confirmation])
            let proof = fixture.keepSecret(try client.proof(token, Self.url))
            for _ in 0..<2 {
                _ = try await fixture.request("/orders", fields: ["Authorization: DPoP \(token)", "DPoP: \(proof)"])
            }
        }
    }
}
