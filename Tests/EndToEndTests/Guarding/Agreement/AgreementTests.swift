import Foundation
import Gateway
import Testing
import Time
import Verification

/// Whoever asks, and however: the answer to a request is the same. A table of requests, made of a fixed seed, goes to the
/// gateway itself, to nginx, Caddy and Envoy that ask it by HTTP, to Envoy that asks it by gRPC, to `explain`, and to the
/// `tests` that `check` runs.
@Suite struct AgreementTests {
    private static let count = 2_000
    private static let setup = AgreementSetup.fixture(gateway: "ext_authz: { address: \"127.0.0.1:0\" }")

    @Test func everyRouteGivesTheSameAnswer() async throws {
        let cases = AgreementCase.table(seed: 20_261_121, count: Self.count)
        let tokens = try cases.map { try $0.tokenText(TestIssuer.shared()) }
        try await withGateway(Self.setup) { fixture async throws in
            let own = AgreementRoute(name: "gatehouse", address: fixture.address, fixture: fixture)
            let answers = try await own.answers(cases, tokens)
            // A table in which nearly all is refused, or nearly nothing, would show little.
            let refused = answers.count { if case .refused = $0 { true } else { false } }
            #expect((Self.count / 4...Self.count * 3 / 4).contains(refused))

            try await compareProxies(cases, tokens, answers, own)
            let observed = try await compareExplanations(cases, tokens, answers, fixture)
            try await compareTests(cases, tokens, zip(answers, observed).map { $1 ?? $0 })
        }
    }

    private func compareProxies(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ answers: [AgreementAnswer],
        _ own: AgreementRoute
    ) async throws {
        let fixture = own.fixture
        for kind in RealProxy.Kind.allCases + [.envoyByGRPC] {
            let proxy = try await RealProxy.start(
                kind,
                gateway: fixture.address,
                questions: fixture.extAuthzAddress,
                backend: fixture.backend.port
            )
            let found: [AgreementAnswer]
            do {
                let route = AgreementRoute(name: kind.rawValue, address: proxy.address, fixture: fixture)
                found = try await route.answers(cases, tokens)
            } catch {
                try await proxy.stop()
                throw error
            }
            try await proxy.stop()
            for (request, (answer, found)) in zip(cases, zip(answers, found)) where !found.agrees(with: answer) {
                if !request.hasPlainPath, case .refused(400, _) = found { continue }
                if kind != .nginx, kind != .caddy, let other = request.asEnvoyReadsIt {
                    let answer = try await own.answer(other, try request.tokenText(TestIssuer.shared()))
                    if found.agrees(with: answer) { continue }
                }
                Issue.record("\(kind) says \(found), the gateway \(answer): \(request)")
            }
        }
    }

    /// - Returns: What would have been refused, where that is only observed.
    private func compareExplanations(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ answers: [AgreementAnswer],
        _ fixture: GatewayFixture
    ) async throws -> [AgreementAnswer?] {
        var observed: [AgreementAnswer?] = []
        for (request, (token, answer)) in zip(cases, zip(tokens, answers)) {
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
                switch answer {
                case .forwarded: "forward"
                case .refused(let status, let code?): "refuse \(status) \(code)"
                // The answer to HEAD has no body.
                case .refused(let status, nil): "refuse \(status) \(explained.answer["code"]?.string ?? "")"
                }
            if explained.decision != wanted {
                Issue.record("explain says \(explained.decision), not \(wanted): \(request)")
            }
            observed.append(
                explained.answer["observed"]?.object.map {
                    .refused(Int($0["status"]?.double ?? 0), $0["code"]?.string)
                }
            )
        }
        return observed
    }

    /// Each case as a test of tenants.yaml that expects what the gateway has answered.
    private func compareTests(
        _ cases: [AgreementCase],
        _ tokens: [String?],
        _ answers: [AgreementAnswer]
    ) async throws {
        var tests: [AgreementTenant: [String]] = [:]
        for (request, (token, answer)) in zip(cases, zip(tokens, answers)) {
            tests[request.tenant, default: []].append(Self.test(request, token, answer))
        }
        let configuration = try AgreementSetup.fixture(tests: tests).configuration(["backend": "http://127.0.0.1:9"])
        #expect(configuration.tenants.reduce(0) { $0 + $1.tests.count } == Self.count)
        let mistakes = try await TenantTestRun.run(
            configuration,
            file: "tenants.yaml",
            at: UnixTime(Date().timeIntervalSince1970)
        )
        for mistake in mistakes { Issue.record("check says: \(mistake)") }

        // And it is not content with anything: one wrong expectation is one mistake.
        var wrong = configuration
        wrong.tenants[0].tests = [configuration.tenants[0].tests[0]]
        wrong.tenants[0].tests[0].status = 418
        for place in wrong.tenants.indices.dropFirst() { wrong.tenants[place].tests = [] }
        #expect(
            try await TenantTestRun.run(wrong, file: "tenants.yaml", at: UnixTime(Date().timeIntervalSince1970)).count
                == 1
        )
    }

    /// A line below `tests`: JSON is YAML.
    private static func test(_ request: AgreementCase, _ token: String?, _ answer: AgreementAnswer) -> String {
        var expectation = JSONObject()
        switch answer {
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
