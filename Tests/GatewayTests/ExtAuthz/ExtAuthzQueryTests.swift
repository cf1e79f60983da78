import Counting
import ExtAuthz
import NIOCore
import NIOEmbedded
import Proxy
import ProxyTestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Gateway
@testable import Tenants

/// Envoy's queries, from the description of a request to the response.
@Suite struct ExtAuthzQueryTests {
    @Test func refusalEqualsTheGatewaysOwnResponse() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant()])
        let id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
        let denial = try pipeline.denial(ExtAuthzPipeline.request(fields: [("x-request-id", id)]))
        #expect(denial.status == 401)
        #expect(denial.fields.map(\.name) == ["Content-Type", "Cache-Control", "WWW-Authenticate"])
        #expect(denial.fields.map(\.value) == ["application/problem+json", "no-store", "Bearer realm=\"app\""])
        #expect(denial.body.contains("\"code\":\"missing_token\""))
        #expect(denial.body.contains("\"request_id\":\"\(id)\""))
    }

    @Test func refusalsOfAllKindsKeepTheirStatus() throws {
        let rules = [try RequestPipeline.rule("/admin/**", .signedIn(roles: ["admin"], scopes: []))]
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(access: rules)])
        let token = try RequestPipeline.token()
        #expect(try pipeline.denial(ExtAuthzPipeline.request("/admin/x", token: token)).status == 403)
        #expect(try pipeline.denial(ExtAuthzPipeline.request(host: "other.test", token: token)).status == 404)
        #expect(try pipeline.denial(ExtAuthzPipeline.request("/%2f", token: token)).status == 400)
        #expect(try pipeline.denial(ExtAuthzPipeline.request("/.gatehouse/auth", token: token)).status == 404)
        #expect(try pipeline.denial(ExtAuthzPipeline.request(token: RequestPipeline.token(forged: true))).status == 401)
        let both = ExtAuthzPipeline.request(token: token, fields: [("Authorization", "Bearer x")])
        #expect(try pipeline.denial(both).status == 400)
    }

    /// The backend gets the path as the client wrote it.
    @Test(arguments: ["/a/../admin", "/./a", "//a", "/a/%2e%2e/admin"])
    func ambiguousPathIsRefused(_ path: String) throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])])
        #expect(try pipeline.denial(ExtAuthzPipeline.request(path)).status == 400)
    }

    @Test func requestWithInvalidHeadIsRefused() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])])
        #expect(try pipeline.denial(ExtAuthzPipeline.request("http://app.test/")).status == 400)
        #expect(try pipeline.denial(ExtAuthzPipeline.request(fields: [("x", "1\r\ny: 2")])).status == 400)
        #expect(try pipeline.denial(ExtAuthzPipeline.request(fields: [("x", "\u{7f}")])).status == 400)
    }

    /// RFC 9110 section 15.5.22, and RFC 9113 section 8.2.2.
    @Test(arguments: [("HTTP/1.1", ["app/5.2.0"]), ("HTTP/1.0", ["app/5.2.0"]), ("HTTP/2", []), ("HTTP/3", [])])
    func oldAppIsToldTheVersionOverHTTP1(_ version: String, _ upgrades: [String]) throws {
        var tenant = try RequestPipeline.tenant()
        tenant.appVersion = AppVersionRules(
            header: "x-app-version",
            minimum: AppVersion("5.2.0"),
            paths: [try PathPattern("/**")]
        )
        let request = ExtAuthzPipeline.request(version: version, fields: [("x-app-version", "5.1")])
        let denial = try ExtAuthzPipeline([tenant]).denial(request)
        #expect(denial.status == 426)
        #expect(denial.fields.filter { $0.name == "Upgrade" }.map(\.value) == upgrades)
    }

    @Test func appWithClientCertificatesIsRefused() throws {
        var tenant = try RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])
        tenant.tls = ServerCertificate(certificateFile: "c", keyFile: "k", clientCAFile: "ca")
        #expect(try ExtAuthzPipeline([tenant]).denial(ExtAuthzPipeline.request()).status == 421)
    }

    @Test func observedRefusalPassesWithoutIdentity() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(mode: .observe)])
        let changes = try pipeline.changes(
            ExtAuthzPipeline.request(token: RequestPipeline.token(forged: true), fields: [("x-user-id", "root")])
        )
        #expect(changes.set.isEmpty)
        #expect(changes.removeTexts.contains("X-User-Id"))
        let counters = pipeline.fixture.worker.currentCounters()
        #expect(counters.decisions[Outcome.refused(.invalidToken).index] == 1)
    }

    @Test func overdueQueryIsRefused() throws {
        let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys"))
        var tenant = try RequestPipeline.tenant()
        tenant.authenticate = Authentication(
            policy: VerificationPolicy(issuers: [
                IssuerPolicy(issuer: RequestPipeline.issuer, algorithms: [.es256], keys: nil)
            ]),
            keySources: [.remote(source)]
        )
        let key = try SigningKey.generate(.p256)
        let claims: JSONObject = [
            "iss": .string(RequestPipeline.issuer), "sub": "alice",
            "exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) + 600)),
        ]
        let token = try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint).sign(claims)
        // There is no response while the test runs.
        let fixture = EmbeddedWorker([tenant]) { _, _ in
            try? await Task.sleep(for: .seconds(86_400))
            return .nothingNew
        }
        let loop = try #require(fixture.worker.eventLoop as? EmbeddedEventLoop)
        var answers: [CheckReply] = []
        let question = ExtAuthzQuery(fixture.worker, try RequestPipeline.peer(trusted: true)) { answers.append($0) }
        question.decide(ExtAuthzPipeline.request(token: token))
        loop.advanceTime(by: ExtAuthzQuery.patience - .nanoseconds(1))
        #expect(answers.isEmpty)
        loop.advanceTime(by: .nanoseconds(1))
        guard case .denied(503, _, let body) = answers.first else {
            Issue.record("\(answers)")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).contains("overloaded"))
        loop.advanceTime(by: .hours(1))
        #expect(answers.count == 1)
    }
}
