import TestSupport
import Testing
import Verification

/// Proofs of one client at several instances.
@Suite(.serialized) struct ProofFleetTests {
    private static let url = "http://app.test/orders"

    private func send(_ fields: [String], to instance: Instance) async throws -> RawResponse {
        let lines = ["GET /orders HTTP/1.1", "Host: app.test", "Connection: close"] + fields
        let client = RawClient(try await Wire.connect(to: instance.address))
        let response = try await client.request(lines.joined(separator: "\r\n") + "\r\n\r\n")
        await client.close()
        return response
    }

    private func fields(_ token: String, _ proof: String) -> [String] {
        ["Authorization: DPoP \(token)", "DPoP: \(proof)"]
    }

    @Test func proofUsedAtOneInstanceIsRefusedAtOthers() async throws {
        try await RedisServer.run { server in
            try await withInstances(GatewaySetup(tenant: "dpop: {}")) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let client = try ProvingClient()
                let token = try fleet.token(["cnf": client.confirmation])
                let proof = try client.proof(token, Self.url)
                #expect(try await send(fields(token, proof), to: first).status == 200)
                for instance in [second, first] {
                    expectRefusal(try await send(fields(token, proof), to: instance), 401, "invalid_token")
                }
                let another = try client.proof(token, Self.url)
                #expect(try await send(fields(token, another), to: second).status == 200)
                try await fleet.expectNoTokens(in: server)
            }
        }
    }

    @Test func nonceOfOneInstanceIsAcceptedAtAnother() async throws {
        var setup = GatewaySetup(tenant: "dpop: { nonce: true }")
        setup.sealingKeys = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        try await RedisServer.run { server in
            try await withInstances(setup) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let client = try ProvingClient()
                let token = try fleet.token(["cnf": client.confirmation])
                let refused = try await send(fields(token, try client.proof(token, Self.url)), to: first)
                let nonce = try offeredNonce(refused)
                let proof = try client.proof(token, Self.url, nonce: nonce)
                #expect(try await send(fields(token, proof), to: second).status == 200)
            }
        }
    }

    @Test(arguments: ["deny", "allow"])
    func storeOutageAppliesProofPolicy(policy: String) async throws {
        let setup = GatewaySetup(tenant: "dpop: {}\non_store_failure: \(policy)")
        try await RedisServer.run { server in
            try await withInstances(setup) { fleet in
                let instance = try await fleet.start(server.url)
                let client = try ProvingClient()
                let token = try fleet.token(["cnf": client.confirmation])
                let early = try client.proof(token, Self.url)
                #expect(try await send(fields(token, early), to: instance).status == 200)
                try await server.kill()
                let proof = try client.proof(token, Self.url)
                let response = try await send(fields(token, proof), to: instance)
                guard policy == "allow" else { return expectRefusal(response, 503, "store_unavailable") }
                #expect(response.status == 200)
                // Proofs that this process has seen stay used.
                for used in [proof, early] {
                    expectRefusal(try await send(fields(token, used), to: instance), 401, "invalid_token")
                }
            }
        }
    }
}
