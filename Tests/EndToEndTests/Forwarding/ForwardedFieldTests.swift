import Foundation
import Testing
import Verification

/// Fields about the request's origin: X-Forwarded-*, Forwarded (RFC 7239), X-Request-Id and traceparent.
@Suite struct ForwardedFieldTests {
    private static let trusting = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]")

    private static let claimed = [
        "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https", "X-Forwarded-Host: shop.example",
        "Forwarded: for=203.0.113.9;proto=https;host=shop.example", "X-Forwarded-Port: 443", "X-Real-IP: 203.0.113.9",
    ]

    /// `ForwardedFieldsTests` has the other fields.
    @Test func fieldsOfUntrustedPeerAreReplaced() async throws {
        try await withGateway { fixture async throws in
            var identifiers: Set<String> = []
            for _ in 0..<2 {
                let claimed = Self.claimed + ["X_Forwarded_For: 203.0.113.9", "X-Request-Id: \(UUID().uuidString)"]
                _ = try await fixture.request("/open/x", fields: claimed)
                let seen = try await fixture.backend.arrivals.next()
                #expect(seen.fields["X-Forwarded-For"] == ["127.0.0.1"])
                #expect(seen.fields["X-Forwarded-Proto"] == ["http"])
                #expect(seen.fields["X-Forwarded-Host"] == ["app.test"])
                #expect(!seen.fields["Forwarded"].joined().contains("203.0.113.9"))
                #expect(seen.fields["X_Forwarded_For"] == [] && seen.fields["X-Request-Id"].count == 1)
                let identifier = try #require(seen.fields["X-Request-Id"].first)
                let logged = try await fixture.accessLog.next()
                #expect(logged["request_id"]?.string == identifier && UUID(uuidString: identifier) != nil)
                #expect(logged["remote"]?.string?.hasPrefix("127.0.0.1") == true)
                identifiers.insert(identifier)
            }
            #expect(identifiers.count == 2)
            let refused = try #require(Problem(try await fixture.request("/x")))
            #expect(UUID(uuidString: refused.requestID) != nil)
            #expect(try await fixture.accessLog.next()["request_id"]?.string == refused.requestID)
        }
    }

    @Test func fieldsOfTrustedProxyAreExtended() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            _ = try await fixture.request("/open/x", fields: Self.claimed)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields.list("X-Forwarded-For") == ["203.0.113.9", "127.0.0.1"])
            #expect(seen.fields["X-Forwarded-Proto"] == ["https"])
            #expect(seen.fields["X-Forwarded-Host"] == ["shop.example"])
            #expect(seen.fields.list("Forwarded").count == 2)
            #expect(seen.fields.list("Forwarded").last?.contains("for=127.0.0.1") == true)
            #expect(try await fixture.accessLog.next()["remote"]?.string?.hasPrefix("203.0.113.9") == true)
            let misleading = ["X-Forwarded-Host: app.test"]
            expectRefusal(
                try await fixture.request("/open/x", host: "elsewhere.test", fields: misleading),
                404,
                "unknown_host"
            )
        }
    }

    @Test func accessLogRemoteIsRightmostUntrustedAddress() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            _ = try await fixture.request("/open/x", fields: ["X-Forwarded-For: 198.51.100.1, 203.0.113.9"])
            #expect(try await fixture.accessLog.next()["remote"]?.string?.hasPrefix("203.0.113.9") == true)
        }
    }

    @Test func identifierOfTrustedProxyIsKeptIfUUID() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let own = UUID().uuidString.lowercased()
            _ = try await fixture.request("/open/x", fields: ["X-Request-Id: \(own)"])
            #expect(try await fixture.backend.arrivals.next().fields["X-Request-Id"] == [own])
            for strange in ["42", "\(own)x", "<script>", "{\(own)}"] {
                _ = try await fixture.request("/open/x", fields: ["X-Request-Id: \(strange)"])
                let seen = try await fixture.backend.arrivals.next().fields["X-Request-Id"]
                #expect(seen.count == 1 && seen.first != strange, "\(strange)")
                #expect(UUID(uuidString: seen.first ?? "") != nil, "\(strange)")
            }
        }
    }
}
