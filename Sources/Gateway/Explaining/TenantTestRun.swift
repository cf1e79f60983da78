import Authorization
public import ConfigurationText
public import Tenants
public import Time
import Verification

/// Runs the `tests` of tenants.yaml, offline: with the gateway's own decisions, and callers whose tokens are signed
/// with a temporary key that replaces the issuers' keys.
public enum TenantTestRun {
    /// Bytes of the key, for HS256.
    private static let keyLength = 32
    /// Seconds for which a caller's token is valid by default.
    private static let lifetime = 3600

    /// - Parameters:
    ///   - file: The file of the configuration.
    /// - Returns: A mistake for each failed test, in the order of the configuration.
    /// - Throws: If no key can be made, or no thread.
    public static func run(
        _ configuration: TenantsConfiguration,
        file: String,
        at now: UnixTime
    ) async throws -> [Diagnostic] {
        guard configuration.tenants.contains(where: { !$0.tests.isEmpty }) else { return [] }
        let secret = RunKey.make(keyLength)
        let keys = try KeySet(secret: secret, algorithms: [.hs256])
        var rehearsed = configuration
        rehearsed.tenants = configuration.tenants.map { rehearsal(of: $0, keys) }
        let gateway = try await OfflineGateway(rehearsed)
        do {
            let mistakes = try await run(rehearsed.tenants, gateway, secret, file, at: now)
            await gateway.close()
            return mistakes
        } catch {
            await gateway.close()
            throw error
        }
    }

    private static func run(
        _ tenants: [Tenant],
        _ gateway: OfflineGateway,
        _ secret: [UInt8],
        _ file: String,
        at now: UnixTime
    ) async throws -> [Diagnostic] {
        let signer = try TokenSigner(SigningKey(secret: secret), algorithm: .hs256)
        var mistakes: [Diagnostic] = []
        for tenant in tenants {
            for test in tenant.tests {
                let token = try test.claims.map { claims in
                    // The type of an access token, which a tenant's own issuer requires and others ignore.
                    try signer.sign(Self.claims(claims, tenant, at: now), header: ["typ": "at+jwt"])
                }
                guard let mistake = try await mistake(test, token, tenant, gateway) else { continue }
                mistakes.append(
                    Diagnostic(
                        severity: .error,
                        file: test.line.file ?? file,
                        line: test.line.number,
                        column: test.column,
                        message: mistake
                    )
                )
            }
        }
        return mistakes
    }

    /// The tenant with the temporary key as its callers' issuer. Proofs of possession and introspection are left out:
    /// tests have neither a client nor a server for them.
    private static func rehearsal(of tenant: Tenant, _ keys: KeySet) -> Tenant {
        var tenant = tenant
        tenant.authenticate.policy.issuers = tenant.authenticate.policy.issuers.map { issuer in
            var issuer = issuer
            issuer.algorithms = [.hs256]
            issuer.keys = keys
            return issuer
        }
        if tenant.authenticate.policy.issuers.isEmpty {
            let name = tenant.introspection?.name ?? "https://issuer.test"
            let audiences = tenant.introspection?.audiences ?? []
            tenant.authenticate.policy.issuers = [
                IssuerPolicy(issuer: name, audiences: audiences, algorithms: [.hs256], keys: keys)
            ]
        }
        tenant.authenticate.keySources = tenant.authenticate.policy.issuers.map { _ in .inline }
        tenant.introspection = nil
        tenant.proof = nil
        return tenant
    }

    /// The claims of a valid caller, with those of the test. A claim given as null is left out.
    static func claims(_ given: JSONObject, _ tenant: Tenant, at now: UnixTime) -> JSONObject {
        let issuers = tenant.authenticate.policy.issuers
        let named = given["iss"]?.string
        let issuer = issuers.first { policy in named.map { policy.issuer.utf8.elementsEqual($0.utf8) } ?? true }
        var claims = JSONObject()
        claims["iss"] = issuer.map { .string($0.issuer) }
        claims["sub"] = "test"
        claims["aud"] = issuer?.audiences.first.map(JSONValue.string)
        claims["iat"] = .number(JSONNumber(Int(now.seconds)))
        claims["exp"] = .number(JSONNumber(Int(now.seconds) + lifetime))
        if tenant.authenticate.policy.requiredClaims.contains("jti") { claims["jti"] = "test" }
        // A bare nil would be a JSON null.
        for member in given.members {
            claims[member.name] = member.value == .null ? JSONValue?.none : member.value
        }
        issuer?.complete(&claims, given)
        return claims
    }

    /// - Returns: Nil if the test holds.
    private static func mistake(
        _ test: TenantTest,
        _ token: String?,
        _ tenant: Tenant,
        _ gateway: OfflineGateway
    ) async throws -> String? {
        let request: ExplainedRequest
        do throws(ExplainedRequest.Mistake) {
            request = try ExplainedRequest(method: test.method, target: test.target, token: token, fields: test.fields)
        } catch {
            return "this test cannot be run: its \(error.part) \(error.remedy)"
        }
        guard let report = try await gateway.explain(request, tenant: tenant.name) else { return nil }
        // The rules are tested, whether they are enforced or only observed.
        let decision = report.observed ?? report.decision
        let isBackendRight = test.backend == nil || test.backend == report.backend
        if holds(test, decision), isBackendRight { return nil }
        if let backend = test.backend, let other = report.backend {
            return "\(test.method) \(test.target): expected to go to \(backend), but it would go to \(other)"
        }
        let expected =
            test.status == 200
            ? "to go on\(test.backend.map { " to \($0)" } ?? "")" : "\(test.status)\(test.code.map { " \($0)" } ?? "")"
        return "\(test.method) \(test.target): expected \(expected), but it would \(text(decision)): \(reason(report))"
    }

    private static func holds(_ test: TenantTest, _ decision: DecisionReport.Decision) -> Bool {
        switch decision {
        case .forward: test.status == 200
        case .answer(let status): test.status == status && test.code == nil && test.backend == nil
        case .refuse(let status, let code): status == test.status && (test.code ?? code) == code
        }
    }

    private static func text(_ decision: DecisionReport.Decision) -> String {
        switch decision {
        case .forward: "go on"
        case .answer(let status): "be answered with \(status)"
        case .refuse(let status, let code):
            "\(status < 400 ? "be led to sign in" : "be refused") with \(status) \(code)"
        }
    }

    /// The last step before the decision names the rule, but for those that say what follows from it.
    private static func reason(_ report: DecisionReport) -> String {
        let others = [Explanation.Step.observe, .events].map(\.rawValue)
        let last = report.steps.dropLast().last { !others.contains($0.step) }
        guard let last else { return "nothing was looked at" }
        guard let line = last.line else { return last.text }
        return last.text + (last.file.map { " (\($0):\(line))" } ?? " (line \(line))")
    }
}

/// A key for one run.
private enum RunKey {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
