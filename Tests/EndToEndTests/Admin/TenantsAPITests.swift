import NIOCore
import Tenants
import TestSupport
import Testing
import Verification

/// `GET /api/tenants`: status of the gateway and each tenant.
@Suite struct TenantsAPITests {
    private static let two = GatewaySetup(
        others: """
            other:
              hosts: [other.test, "*.other.test"]
              path_prefix: /api
              mode: observe
              backend: { servers: ["{other}", "{nobody}"] }
              authenticate:
                from: [bearer]
                issuers: [ { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" } ]
            """
    )

    @Test func reportCountsRequests() async throws {
        try await withGateway(Self.two) { fixture async throws in
            let token = try fixture.token()
            _ = try await fixture.request("/", token: token)
            _ = try await fixture.request("/", token: token)
            _ = try await fixture.request("/")
            _ = try await fixture.request("/api/x", host: "a.other.test")
            let report = try await fixture.report { report in
                report.total("app") == 3 && report.total("other") == 1
            }
            let app = try report.tenant("app")
            #expect(app["requests"] == ["total": 3, "by_status": ["200": 2, "401": 1]])
            #expect(app["decisions"] == ["granted": 2, "missing_token": 1])
            #expect(app["hosts"] == ["app.test"])
            #expect(app["latency"]?.object?["count"] == 3)
            #expect(app["revocations"] == 0)
            #expect(app["servers"]?.array?.first?.object?["requests"] == ["answered": 2])
            let other = try report.tenant("other")
            #expect(other["mode"] == "observe")
            #expect(other["path_prefix"] == "/api")
            #expect(other["would_refuse"] == ["missing_token": 1])
            #expect(report.object["store"]?.object?["up"] == true)
            #expect(report.object["token_cache"] == ["hit": 1, "miss": 1, "refused": 0])
        }
    }
}

/// A response of `GET /api/tenants`.
struct ReportDocument {
    var object: JSONObject

    func tenant(_ name: String) throws -> JSONObject {
        let tenants = object["tenants"]?.array?.compactMap(\.object) ?? []
        guard let tenant = tenants.first(where: { $0["name"]?.string == name }) else {
            throw Malformed("no tenant \(name): \(object)")
        }
        return tenant
    }

    func total(_ name: String) -> Int? {
        (try? tenant(name))?["requests"]?.object?["total"]?.double.map { Int($0) }
    }
}

extension GatewayFixture {
    /// Polls until `holds`, since a count may follow its response by a turn of the event loop.
    func report(until holds: (ReportDocument) -> Bool = { _ in true }) async throws -> ReportDocument {
        var last: ReportDocument?
        let end = NIODeadline.now() + .patience
        repeat {
            let response = try await admin("/api/tenants")
            guard response.status == 200, let object = try JSONParser.parse(response.body.bytes).object else {
                throw Malformed("\(response.status) \(response.body.text)")
            }
            let report = ReportDocument(object: object)
            if holds(report) { return report }
            last = report
        } while NIODeadline.now() < end
        throw NothingCame(description: "waited in vain for a count: \(last?.object ?? [:])")
    }
}
