import Tenants
import Testing

/// The admin listener: health, readiness and metrics.
@Suite struct AdminTests {
    @Test func healthAndReadinessNeedNoToken() async throws {
        for setup in [GatewaySetup(), .withAdminToken] {
            try await withGateway(setup) { fixture async throws in
                #expect(try await fixture.admin("/healthz").status == 200)
                #expect(try await fixture.admin("/readyz").status == 200)
            }
        }
    }

    @Test func metricsRequireConfiguredToken() async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let wrong: [[String]] = [
                [], ["Authorization: Bearer wrong"], ["Authorization: Bearer"],
                ["Authorization: Basic \(GatewayFixture.adminToken)"],
                ["Authorization: Bearer \(GatewayFixture.adminToken)x"],
                ["Authorization: Bearer \(GatewayFixture.adminToken.dropLast())"],
                ["Cookie: token=\(GatewayFixture.adminToken)"],
            ]
            for fields in wrong {
                let response = try await fixture.admin("/metrics", fields: fields)
                #expect(response.status == 401, "\(fields)")
                #expect(response.fields["WWW-Authenticate"].first?.hasPrefix("Bearer") == true, "\(fields)")
                #expect(!response.body.text.contains("gatehouse_"), "\(fields)")
            }
            let right = try await fixture.admin(
                "/metrics",
                fields: ["Authorization: Bearer \(GatewayFixture.adminToken)"]
            )
            #expect(right.status == 200)
        }
    }

    @Test func metricsAreOpenOnLoopbackWithoutToken() async throws {
        try await withGateway { fixture async throws in
            let response = try await fixture.admin("/metrics")
            #expect(response.status == 200)
            #expect(response.fields["Content-Type"].first?.hasPrefix("text/plain") == true)
        }
    }

    @Test func foreignHostsAreRefusedWithoutToken() async throws {
        try await withGateway { fixture async throws in
            let port = fixture.adminAddress?.port ?? 0
            let client = RawClient(try await Wire.connect(to: try #require(fixture.adminAddress)))
            try await client.send("GET /metrics HTTP/1.1\r\nHost: evil.test:\(port)\r\nConnection: close\r\n\r\n")
            #expect((400..<500).contains(try await client.response().status))
            await client.close()
        }
    }

    @Test func crossSiteRequestsAreRefusedWithoutToken() async throws {
        try await withGateway { fixture async throws in
            for fields in [["Origin: https://evil.test"], ["Sec-Fetch-Site: cross-site"]] {
                #expect(try await fixture.admin("/metrics", fields: fields).status == 403, "\(fields)")
            }
        }
    }

    @Test func adminPathsAreNotServedToClients() async throws {
        try await withGateway { fixture async throws in
            for path in ["/metrics", "/healthz", "/readyz"] {
                expectRefusal(try await fixture.request(path), 401, "missing_token", path)
            }
        }
    }
}
