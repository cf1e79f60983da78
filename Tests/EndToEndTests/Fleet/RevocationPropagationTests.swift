import TestSupport
import Testing
import Verification

/// A revocation at one instance applies at all others.
@Suite(.serialized) struct RevocationPropagationTests {
    @Test(arguments: [2, 3]) func everySelectorReachesEveryInstance(_ count: Int) async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                var all: [Instance] = []
                for _ in 0..<count { all.append(try await fleet.start(server.url)) }
                let bystander = try fleet.token(["sub": "bystander", "jti": "none", "sid": "none"])
                let named = try fleet.token(["jti": "t1"])
                let nameless = try fleet.token(["sub": "nameless"])
                let whole = try fleet.token(["jti": "t2"])
                let session = try fleet.token(["sid": "s1", "jti": "t3"])
                let subject = try fleet.token(["sub": "mallory", "jti": "t4"])
                let revocations: [(token: String, selector: JSONObject)] = [
                    (named, ["jti": "t1"]), (nameless, ["token": .string(nameless)]),
                    (whole, ["token": .string(whole)]), (session, ["session": "s1"]), (subject, ["subject": "mallory"]),
                ]
                for (turn, (token, selector)) in revocations.enumerated() {
                    for instance in all { #expect(try await !instance.refuses(token)) }
                    let target = all[turn % count]
                    try await expectRevoked(selector, by: target)
                    #expect(try await target.refuses(token), "an acknowledged revocation is in force at once")
                    for instance in all { try await instance.awaitRefusal(of: token) }
                }
                for instance in all { #expect(try await !instance.refuses(bystander)) }
                try await fleet.expectNoTokens(in: server)
            }
        }
    }

    @Test func tenantRevocationReachesEveryInstanceAndNoOtherTenant() async throws {
        let setup = GatewaySetup(others: Self.neighbour)
        try await RedisServer.run { server in
            try await withInstances(setup) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let token = try fleet.token()
                try await expectRevoked(["all": true], by: first)
                try await second.awaitRefusal(of: token)
                for instance in [first, second] {
                    #expect(try await instance.refuses(token))
                    #expect(try await !instance.refuses(token, host: "neighbour.test"))
                    // Issued after the revocation.
                    #expect(try await !instance.refuses(try fleet.token(["iat": TestIssuer.fromNow(30)])))
                }
            }
        }
    }

    @Test func withdrawalReachesEveryInstance() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let token = try fleet.token(["sub": "alice"])
                try await expectRevoked(["subject": "alice"], by: first)
                try await second.awaitRefusal(of: token)
                try await expectWithdrawn(["subject": "alice"], by: second)
                #expect(try await !second.refuses(token))
                try await first.awaitAcceptance(of: token)
                // Again, as the latest change counts, not the strictest.
                try await expectRevoked(["subject": "alice"], by: second)
                try await first.awaitRefusal(of: token)
            }
        }
    }

    @Test func revocationAtAnotherInstanceEndsEventStream() async throws {
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/events" else { return try await exchange.sendOK() }
            try await exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\r\n")
            try await exchange.gone()
        }
        try await RedisServer.run { server in
            try await withInstances(backend: script) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let token = try fleet.token(["sid": "s1"])
                let client = RawClient(try await Wire.connect(to: second.address))
                try await client.send(
                    "GET /events HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer \(token)\r\n\r\n"
                )
                #expect(try await client.head().status == 200)
                try await expectRevoked(["session": "s1"], by: first)
                let rest = try await client.untilClosed().text
                #expect(!rest.hasSuffix("0\r\n\r\n"), "an answer that is cut must not look whole")
                await client.close()
            }
        }
    }

    @Test func revocationAtAnotherInstanceClosesWebSocket() async throws {
        let upstream = TunnelBackend()
        try await RedisServer.run { server in
            try await withInstances(backend: upstream.script) { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let token = try fleet.token(["sub": "alice"])
                let client = RawClient(try await Wire.connect(to: second.address))
                let lines = ["GET /socket HTTP/1.1", "Host: app.test", "Authorization: Bearer \(token)"]
                try await client.send((lines + Handshake.fields).joined(separator: "\r\n") + "\r\n\r\n")
                let tunnel = try await TunnelClient(client)
                let end = try await upstream.tunnels.next()
                try await expectRevoked(["subject": "alice"], by: first)
                let target = try #require(try await tunnel.frame())
                #expect(target.closeCode == 1008 && !target.closeReason.isEmpty)
                #expect(try await end.frame()?.closeCode == 1001)
                await end.close()
                await tunnel.close()
            }
        }
    }

    private static let neighbour = """
        neighbour:
          hosts: [neighbour.test]
          backend: { servers: ["{backend}"] }
          authenticate:
            issuers: [ { issuer: "https://secret.test", algorithms: [HS256], secret: "${TEST_SECRET}" } ]
        """
}
