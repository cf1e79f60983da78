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

    /// The parameters of the last element of Forwarded, lower case.
    private static func forwarded(_ request: RecordedRequest) -> [String: String] {
        var parameters: [String: String] = [:]
        let element = request.fields["Forwarded"].joined(separator: ",").split(separator: ",").last ?? ""
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces.lowercased() }
            if parts.count == 2 { parameters[parts[0]] = parts[1].replacing("\"", with: "") }
        }
        return parameters
    }

    @Test func forwardedFieldsOfUntrustedPeerAreDropped() async throws {
        try await withGateway { fixture async throws in
            _ = try await fixture.request("/open/x", fields: Self.claimed + ["X_Forwarded_For: 203.0.113.9"])
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["X-Forwarded-For"] == ["127.0.0.1"])
            #expect(seen.fields["X-Forwarded-Proto"] == ["http"])
            #expect(seen.fields["X-Forwarded-Host"] == ["app.test"])
            #expect(!seen.fields["Forwarded"].joined().contains("203.0.113.9"))
            #expect(seen.fields["X_Forwarded_For"] == [])
        }
    }

    @Test func forwardedFieldsOfTrustedProxyAreExtended() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            _ = try await fixture.request("/open/x", fields: Self.claimed)
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields.list("X-Forwarded-For") == ["203.0.113.9", "127.0.0.1"])
            #expect(seen.fields["X-Forwarded-Proto"] == ["https"])
            #expect(seen.fields["X-Forwarded-Host"] == ["shop.example"])
            #expect(seen.fields.list("Forwarded").count == 2)
            #expect(Self.forwarded(seen)["for"] == "127.0.0.1")
        }
    }

    @Test func trustedProxysForwardedHostNeverRoutes() async throws {
        try await withGateway(Self.trusting) { fixture async throws in
            let fields = ["X-Forwarded-Host: app.test"]
            expectRefusal(
                try await fixture.request("/open/x", host: "elsewhere.test", fields: fields),
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
        try await withGateway { fixture async throws in
            _ = try await fixture.request("/open/x", fields: ["X-Forwarded-For: 203.0.113.9"])
            #expect(try await fixture.accessLog.next()["remote"]?.string?.hasPrefix("127.0.0.1") == true)
        }
    }

    @Test func everyRequestGetsUniqueIdentifier() async throws {
        try await withGateway { fixture async throws in
            var identifiers: Set<String> = []
            for _ in 0..<5 {
                _ = try await fixture.request("/open/x", fields: ["X-Request-Id: \(UUID().uuidString)"])
                let seen = try await fixture.backend.arrivals.next().fields["X-Request-Id"]
                let identifier = try #require(seen.first)
                #expect(seen.count == 1 && UUID(uuidString: identifier) != nil)
                #expect(try await fixture.accessLog.next()["request_id"]?.string == identifier)
                identifiers.insert(identifier)
            }
            #expect(identifiers.count == 5)
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

    @Test func refusalContainsRequestIdentifier() async throws {
        try await withGateway { fixture async throws in
            let refused = try #require(Problem(try await fixture.request("/x")))
            #expect(UUID(uuidString: refused.requestID) != nil)
            #expect(try await fixture.accessLog.next()["request_id"]?.string == refused.requestID)
        }
    }
}
