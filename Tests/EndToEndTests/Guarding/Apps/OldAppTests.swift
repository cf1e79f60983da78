import Testing
import Verification

/// Old apps over both protocols, as they see it.
@Suite struct OldAppTests {
    private static let setup = GatewaySetup(
        tenant: """
            app_version:
              minimum: 5.2.0
              recommended: 5.4.0
              store: { ios: "https://apps.apple.com/app/id1", android: "market://details?id=a" }
            cors: { origins: ["https://web.test"] }
            """
    )

    @Test func oldAppIsRefusedAndToldWhere() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let fields = ["X-App-Version: 5.1.9", "User-Agent: Shop/1 CFNetwork/1494 Darwin/23.4.0"]
            for path in ["/x", "/open/x"] {
                let response = try await fixture.request(path, token: try fixture.token(), fields: fields)
                expectRefusal(response, 426, "upgrade_required")
                #expect(response.fields["Upgrade"] == ["app/5.2.0"])
                #expect(response.fields["Connection"] == ["Upgrade"])
                #expect(response.fields["X-App-Update"] == ["required"])
                #expect(response.fields.list("Vary").contains("x-app-version"))
                let object = try #require(try JSONParser.parse(response.body.bytes).object)
                #expect(object["upgrade_url"]?.string == "https://apps.apple.com/app/id1")
                #expect(object["minimum_version"]?.string == "5.2.0")
            }
            #expect(fixture.backend.requests.isEmpty)
            let client = try await fixture.http2()
            let stream = try await client.open("/x", fields: [("x-app-version", "5")])
            guard case .fields(let head, _) = try await client.event(on: stream) else { throw Malformed("no head") }
            #expect(head[":status"] == ["426"] && head["upgrade"] == [] && head["x-app-update"] == ["required"])
            let counted = try await fixture.metrics()
            #expect(
                counted.value(
                    "gatehouse_app_version_requests_total",
                    ["tenant": "app", "version": "below_minimum"]
                ) == 3
            )
            #expect(
                counted.value("gatehouse_auth_decisions_total", ["tenant": "app", "outcome": "upgrade_required"]) == 3
            )
        }
    }

    @Test func appIsToldOfNewerVersionInBackendsAndGatewaysResponses() async throws {
        try await withGateway(Self.setup) { fixture async throws in
            let old = "X-App-Version: 5.3"
            let served = try await fixture.request("/open/x", fields: [old, "Origin: https://web.test"])
            #expect(served.status == 200 && served.fields["X-App-Update"] == ["recommended"])
            #expect(served.fields["Vary"].contains("x-app-version"))
            #expect(served.fields["Access-Control-Expose-Headers"].joined().contains("X-App-Update"))
            let refused = try await fixture.request("/x", fields: [old])
            expectRefusal(refused, 401, "missing_token")
            #expect(refused.fields["X-App-Update"] == ["recommended"])
            for fields in [["X-App-Version: 5.4"], ["X-App-Version: what"], []] {
                let response = try await fixture.request("/open/x", fields: fields)
                #expect(response.status == 200 && response.fields["X-App-Update"] == [])
            }
            let preflight = try await fixture.request(
                "/x",
                method: "OPTIONS",
                fields: ["Origin: https://web.test", "Access-Control-Request-Method: GET", "X-App-Version: 1"]
            )
            #expect(preflight.status == 204)
            let metrics = try await fixture.metrics()
            for (version, count) in [("below_recommended", 2.0), ("current", 1), ("unreadable", 1), ("missing", 1)] {
                let labels = ["tenant": "app", "version": version]
                #expect(metrics.value("gatehouse_app_version_requests_total", labels) == count, "\(version)")
            }
        }
    }
}
