import Foundation
import Testing
import Verification

/// A refresh does not affect others on the same connection, backend or host.
@Suite struct RefreshIsolationTests {
    /// A proxy may send several users' requests on one connection.
    @Test func unparsedRequestGetsNoTokensOfAnother() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let client = try await fixture.connect()
            expectDelivered(try await client.request(fixture.head("/x", token: session.old)), session.new)
            let refused = try await client.request(fixture.head("/x", fields: (0..<101).map { "X-\($0): 1" }))
            #expect(refused.status == 431)
            expectNothingDelivered(refused)
        }
    }

    @Test func unparsedStreamGetsNoTokensOfAnother() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let client = try await fixture.http2()
            let first = try await client.request("/x", fields: [("authorization", "Bearer \(session.old)")])
            expectDelivered(first, session.new)
            let refused = try await client.request("/x", fields: (0..<101).map { ("x-\($0)", "1") })
            #expect(refused.status == 431)
            expectNothingDelivered(refused)
        }
    }

    /// Requests that wait for new tokens may hold every connection.
    @Test func refreshReachesBackendWithoutFreeConnection() async throws {
        let (reached, called, gate) = (Gate("the request in the way"), Gate("the refresh"), Gate("the first answer"))
        let slow = BackendScript { exchange in
            if exchange.head.target == "/slow" {
                reached.open()
                try await gate.passed()
            }
            try await exchange.sendOK()
        }
        let limits = "backend: { servers: [\"{backend}\"], limits: { connections: 1, pending: 1 } }"
        try await withStub(.refreshing("grace: 1h", tenant: limits), otherwise: slow) { fixture, stub async throws in
            let session = try fixture.session(["exp": TestIssuer.fromNow(-600)])
            let answer = #"{"token":"\#(session.new)"}"#
            stub.onRefresh { exchange in
                called.open()
                try await exchange.sendOK(answer)
            }
            let (holder, waiting) = (try await fixture.connect(), try await fixture.connect())
            try await holder.send(fixture.head("/slow", token: try fixture.token()))
            try await reached.passed()
            try await waiting.send(fixture.head("/x", token: session.old))
            try await called.passed()
            // It is replayed once a connection is free.
            gate.open()
            #expect(try await holder.response().status == 200)
            let response = try await waiting.response()
            #expect(response.status == 200)
            expectDelivered(response, session.new)
        }
    }

    /// A held 401 frees its server connection, which the refresh then uses.
    @Test func heldUnauthorizedFreesServerConnection() async throws {
        let (called, gate) = (Gate("the refresh"), Gate("its answer"))
        let limits = "backend: { servers: [\"{backend}\"], limits: { connections: 2, pending: 0 } }"
        try await withEndedSession(.refreshing(tenant: limits)) { fixture, stub, session async throws in
            let response = #"{"token":"\#(session.new)"}"#
            stub.onRefresh { exchange in
                called.open()
                try await gate.passed()
                try await exchange.sendOK(response)
            }
            let waiting = try await fixture.connect()
            try await waiting.send(fixture.head("/x", token: session.old))
            try await called.passed()
            #expect(try await fixture.request("/y", token: try fixture.token()).status == 200)
            gate.open()
            let replayed = try await waiting.response()
            #expect(replayed.status == 200)
            expectDelivered(replayed, session.new)
        }
    }

    /// The new token is issued after the request began.
    @Test func tokenIssuedDuringRequestIsValidWithoutLeeway() async throws {
        let leeway = """
            authenticate:
              issuers: [{ issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }]
              leeway: 0s
            """
        try await withStub(.refreshing(tenant: leeway)) { fixture, stub async throws in
            let session = try fixture.session(["iat": .null])
            stub.end(session.old)
            stub.onRefresh { exchange in
                let issuedAt = try #require(JSONNumber(Date().timeIntervalSince1970))
                let token = try fixture.token(["sid": "s1", "jti": "new", "iat": .number(issuedAt)])
                try await exchange.sendOK(#"{"token":"\#(token)"}"#)
            }
            #expect(try await fixture.request("/x", token: session.old).status == 200)
        }
    }

    @Test func refreshPathUnderPrefixIsNotRefreshed() async throws {
        let prefix = "path_prefix: /app\nstrip_prefix: true"
        try await withEndedSession(.refreshing("grace: 1h", tenant: prefix)) { fixture, stub, session async throws in
            stub.give(["nothing": true], status: 401)
            let response = try await fixture.request("/app/auth/refresh", method: "POST", token: session.old)
            #expect(response.status == 401)
            #expect(fixture.refreshCalls.count == 1)
        }
    }
}
