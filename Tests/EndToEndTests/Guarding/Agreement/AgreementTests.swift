import Foundation
import Gateway
import Testing
import Time
import Verification

/// Every route makes the same decision. A table of requests from a fixed seed goes to the gateway itself, to nginx,
/// Caddy and Envoy that query it over HTTP, to Envoy over gRPC, to `explain`, and to the `tests` that `check` runs.
@Suite struct AgreementTests {
    private static let count = 2_000
    private static let setup = AgreementSetup.fixture(gateway: "ext_authz: { address: \"127.0.0.1:0\" }")

    @Test func everyRouteMakesSameDecision() async throws {
        let cases = AgreementCase.table(seed: 20_261_121, count: Self.count)
        let tokens = try cases.map { try $0.tokenText(TestIssuer.shared()) }
        try await withGateway(Self.setup) { fixture async throws in
            let own = AgreementRoute(name: "gatehouse", address: fixture.address, fixture: fixture)
            let responses = try await own.results(cases, tokens)
            // The table must contain enough grants and refusals.
            let refused = responses.count { if case .refused = $0 { true } else { false } }
            #expect((Self.count / 4...Self.count * 3 / 4).contains(refused))

            try await compareProxies(cases, tokens, responses, own)
            let observed = try await compareExplanations(cases, tokens, responses, fixture)
            try await compareTests(cases, tokens, zip(responses, observed).map { $1 ?? $0 })
        }
    }

    private func compareProxies(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ responses: [AgreementResult],
        _ own: AgreementRoute
    ) async throws {
        let fixture = own.fixture
        for kind in RealProxy.Kind.allCases {
            let proxy = try await RealProxy.start(
                kind,
                gateway: fixture.address,
                grpc: fixture.extAuthzAddress,
                backend: fixture.backend.port
            )
            let found: [AgreementResult]
            do {
                let route = AgreementRoute(name: kind.rawValue, address: proxy.address, fixture: fixture)
                found = try await route.results(cases, tokens)
            } catch {
                try await proxy.stop()
                throw error
            }
            try await proxy.stop()
            for (request, (response, found)) in zip(cases, zip(responses, found)) where !found.agrees(with: response) {
                if !request.hasPlainPath, case .refused(400, _) = found { continue }
                if kind != .nginx, kind != .caddy, let other = request.asEnvoyReadsIt {
                    let response = try await own.result(other, try request.tokenText(TestIssuer.shared()))
                    if found.agrees(with: response) { continue }
                }
                Issue.record("\(kind) says \(found), the gateway \(response): \(request)")
            }
        }
    }

    /// - Returns: Refusals that are only observed.
    private func compareExplanations(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ responses: [AgreementResult],
        _ fixture: GatewayFixture
    ) async throws -> [AgreementResult?] {
        var observed: [AgreementResult?] = []
        for (request, (token, response)) in zip(cases, zip(tokens, responses)) {
            var fields = JSONObject()
            for field in request.fields + (token.map { [request.tokenField($0)] } ?? []) {
                fields[field.name] = .string(field.value)
            }
            let explained = try await fixture.explained([
                "tenant": .string(request.tenant.rawValue), "method": .string(request.method),
                "path": .string(request.target), "headers": .object(fields),
            ])
            #expect(explained.steps.last == explained.decision)
            let wanted =
                switch response {
                case .forwarded: "forward"
                case .refused(let status, let code?): "refuse \(status) \(code)"
                // The response to HEAD has no body.
                case .refused(let status, nil): "refuse \(status) \(explained.json["code"]?.string ?? "")"
                }
            if explained.decision != wanted {
                Issue.record("explain says \(explained.decision), not \(wanted): \(request)")
            }
            observed.append(
                explained.json["observed"]?.object.map {
                    .refused(Int($0["status"]?.double ?? 0), $0["code"]?.string)
                }
            )
        }
        return observed
    }

    /// Each case as a test in tenants.yaml that expects the gateway's decision.
    private func compareTests(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ responses: [AgreementResult]
    ) async throws {
        var tests: [AgreementTenant: [String]] = [:]
        for (request, (token, response)) in zip(cases, zip(tokens, responses)) {
            tests[request.tenant, default: []].append(Self.test(request, token, response))
        }
        let configuration = try AgreementSetup.fixture(tests: tests).configuration(["backend": "http://127.0.0.1:9"])
        #expect(configuration.tenants.reduce(0) { $0 + $1.tests.count } == Self.count)
        let mistakes = try await TenantTestRun.run(
            configuration,
            file: "tenants.yaml",
            at: UnixTime(Date().timeIntervalSince1970)
        )
        for mistake in mistakes { Issue.record("check says: \(mistake)") }

        // One wrong expectation is one mistake.
        var wrong = configuration
        wrong.tenants[0].tests = [configuration.tenants[0].tests[0]]
        wrong.tenants[0].tests[0].status = 418
        for index in wrong.tenants.indices.dropFirst() { wrong.tenants[index].tests = [] }
        #expect(
            try await TenantTestRun.run(wrong, file: "tenants.yaml", at: UnixTime(Date().timeIntervalSince1970)).count
                == 1
        )
    }

    /// A line below `tests`: JSON is YAML.
    private static func test(_ request: AgreementCase, _ token: String?, _ response: AgreementResult) -> String {
        var expectation = JSONObject()
        switch response {
        case .forwarded: expectation["status"] = 200
        case .refused(let status, let code):
            expectation["status"] = .number(JSONNumber(status))
            expectation["code"] = code.map(JSONValue.string)
        }
        var test: JSONObject = ["request": .string("\(request.method) \(request.target)")]
        var fields = JSONObject()
        for field in request.fields { fields[field.name] = .string(field.value) }
        switch request.token {
        case .none: break
        case .claims(let claims): test["claims"] = .object(claims)
        case .raw(let text):
            let field = request.tokenField(text)
            fields[field.name] = .string(field.value)
        }
        if !fields.members.isEmpty { test["headers"] = .object(fields) }
        test["expect"] = .object(expectation)
        return JSONWriter.text(of: .object(test))
    }
}
