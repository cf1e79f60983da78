import Tenants
import TestSupport
import Testing
import Verification

/// Refusals of `/api/revocations`.
@Suite struct RevocationRefusalTests {
    private static let all = #"{"tenant":"app","all":true}"#

    private func expectOpen(_ fixture: GatewayFixture) async throws {
        #expect(try await fixture.request("/x", token: try fixture.token()).status == 200)
    }

    @Test(arguments: ["POST", "DELETE", "GET"])
    func adminTokenIsRequiredIfConfigured(_ method: String) async throws {
        try await withGateway(.withAdminToken) { fixture async throws in
            fixture.keepSecret(GatewayFixture.adminToken)
            let body = method == "GET" ? nil : Self.all
            let wrong = [
                ([], "missing_token"), (["Authorization: Basic \(GatewayFixture.adminToken)"], "missing_token"),
                (["Authorization: Bearer wrong"], "invalid_token"),
                (["Authorization: Bearer \(GatewayFixture.adminToken)x"], "invalid_token"),
            ]
            for (fields, code) in wrong {
                let response = try await fixture.revocations(method, query: "?tenant=app", body: body, fields: fields)
                #expect(AdminProblemDocument(response)?.code == code, "\(fields)")
                #expect(response.status == 401, "\(fields)")
                #expect(response.fields["WWW-Authenticate"].first?.hasPrefix("Bearer realm=\"admin\"") == true)
            }
            try await expectOpen(fixture)
            let query = method == "GET" ? "?tenant=app" : ""
            #expect(
                try await fixture.revocations(method, query: query, body: body, fields: GatewayFixture.adminBearer)
                    .status == 200
            )
        }
    }

    @Test(arguments: [
        ["Origin: https://evil.test"], ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Origin: null"],
    ])
    func crossSiteRequestsAreRefusedWithoutToken(_ fields: [String]) async throws {
        try await withGateway { fixture async throws in
            for method in ["POST", "DELETE"] {
                let response = try await fixture.revocations(method, body: Self.all, fields: fields)
                #expect(response.status == 403, "\(method)")
                #expect(AdminProblemDocument(response)?.code == "cross_site_request", "\(method)")
            }
            try await expectOpen(fixture)
        }
    }

    @Test func foreignHostsAreRefusedWithoutToken() async throws {
        try await withGateway { fixture async throws in
            let client = fixture.keep(RawClient(try await Wire.connect(to: try #require(fixture.adminAddress))))
            let fields = ["Content-Length: \(Self.all.utf8.count)"]
            let head = fixture.head("/api/revocations", method: "POST", host: "evil.test", fields: fields)
            try await client.send(head + Self.all)
            #expect(AdminProblemDocument(try await client.response())?.code == "cross_site_request")
            try await expectOpen(fixture)
        }
    }

    @Test func bodySizeIsLimited() async throws {
        try await withGateway { fixture async throws in
            let padding = String(repeating: " ", count: (64 << 10) - Self.all.utf8.count)
            let tooLong = try await fixture.revocations("POST", body: Self.all + padding + " ")
            #expect(tooLong.status == 413)
            #expect(AdminProblemDocument(tooLong)?.code == "payload_too_large")
            try await expectOpen(fixture)
            #expect(try await fixture.revocations("POST", body: Self.all + padding).status == 200)
        }
    }

    @Test(arguments: [
        ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("application/jsonp", 415),
        ("application/problem+json", 415), ("", 415), ("application/json", 200), ("Application/JSON", 200),
        ("application/json; charset=utf-8", 200),
    ])
    func bodiesAreJSON(_ type: String, _ status: Int) async throws {
        try await withGateway { fixture async throws in
            let response = try await fixture.revocations("POST", body: Self.all, type: type)
            #expect(response.status == status)
            if status == 415 { #expect(AdminProblemDocument(response)?.code == "unsupported_media_type") }
        }
    }

    @Test func bodyWithoutTypeIsReadAsJSON() async throws {
        try await withGateway { fixture async throws in
            #expect(try await fixture.revocations("POST", body: Self.all, type: nil).status == 200)
        }
    }

    @Test func unreachableStoreRefusesRevocation() async throws {
        let nobody = try ClosedPort()
        let setup = GatewaySetup(gateway: "store: \"redis://127.0.0.1:{redis}/0\"", tenant: "on_store_failure: allow")
        try await withGateway(setup, values: ["redis": "\(nobody.port)"]) { fixture async throws in
            for (method, query, body) in [
                ("POST", "", Self.all), ("DELETE", "", Self.all), ("GET", "?tenant=app", nil),
            ] {
                let response = try await fixture.revocations(method, query: query, body: body)
                #expect(response.status == 503, "\(method)")
                #expect(AdminProblemDocument(response)?.code == "store_unavailable", "\(method)")
                #expect(response.fields["Retry-After"] == ["1"], "\(method)")
            }
            try await expectOpen(fixture)
        }
        withExtendedLifetime(nobody) {}
    }

    @Test func revocationsAreNotServedToClients() async throws {
        try await withGateway { fixture async throws in
            expectRefusal(try await fixture.request("/api/revocations", method: "POST"), 401, "missing_token")
        }
    }
}
