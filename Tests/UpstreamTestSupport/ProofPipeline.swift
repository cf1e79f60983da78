package import Authorization
package import Store
import TestSupport
package import Time
package import Verification

@testable package import Tenants

/// A pipeline whose tenant asks for proofs, and an honest client with its key.
package final class ProofPipeline {
    package static let target = "http://app.test/orders"

    package let pipeline: RequestPipeline
    package let key: SigningKey
    private let used: UsedProofs
    /// Proofs that were settled.
    package private(set) var settled = 0

    package init(
        _ rules: ProofRules? = ProofRules(line: 12),
        from: [TokenSource] = [.bearer],
        access: [AccessRule] = [],
        onStoreFailure: StoreFailurePolicy = .deny,
        store: any Store = MemoryStore(),
        peer: Peer? = nil,
        changing: (inout Tenant) throws -> Void = { _ in }
    ) throws {
        var tenant = try RequestPipeline.tenant(from: from, access: access)
        try changing(&tenant)
        tenant.proof = rules
        tenant.onStoreFailure = onStoreFailure
        pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try peer ?? RequestPipeline.peer()
        used = UsedProofs([tenant], store: store)
        key = try SigningKey.generate(.p256)
    }

    package var thumbprint: String { key.thumbprint ?? "" }

    /// Alice's token, bound to the client's key.
    package func token() throws -> String { try RequestPipeline.token(["cnf": ["jkt": .string(thumbprint)]]) }

    /// The same, from now on too old.
    package func expiredToken() throws -> String {
        try RequestPipeline.token([
            "cnf": ["jkt": .string(thumbprint)], "exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) - 120)),
        ])
    }

    /// A proof of `key` for the request that the tests make, changed as they say.
    package func proof(
        for token: String,
        key: SigningKey? = nil,
        changing: KeyValuePairs<String, JSONValue?> = [:]
    ) throws -> String {
        var claims: JSONObject = [
            "jti": "proof-1", "htm": "GET", "htu": .string(Self.target),
            "iat": .number(JSONNumber(Int(RequestPipeline.now.seconds))),
            "ath": .string(Base64URL.encode(SHA256.digest(Array(token.utf8)))),
        ]
        for (name, value) in changing { claims[name] = value }
        return try ProofSigner(key ?? self.key, algorithm: .es256).sign(claims)
    }

    package static func lines(_ token: String, _ proofs: String..., scheme: String = "DPoP") -> [String] {
        ["Authorization: \(scheme) \(token)"] + proofs.map { "DPoP: \($0)" }
    }

    /// The final decision: a pending proof is settled as by the worker.
    package func answer(
        _ lines: [String],
        path: String = "/orders",
        method: String = "GET",
        at now: UnixTime = RequestPipeline.now
    ) async throws -> RequestPipeline.Outcome {
        let bytes = RequestPipeline.request(path, method: method, lines: lines)
        let first = pipeline.ask(bytes, at: now)
        guard case .needs(.proof(let step)) = first else { return first }
        settled += 1
        do throws(DPoPFailure) {
            try step.proof.verifySignature()
            pipeline.decisionContext.steps.proof = await used.use(step, at: now)
        } catch {
            pipeline.decisionContext.steps.proof = .badSignature
        }
        return pipeline.ask(bytes, allowing: .all.subtracting(.proof), at: now)
    }

    /// Why a request is refused; nil if it is not.
    package func refusal(
        _ lines: [String],
        path: String = "/orders",
        method: String = "GET",
        at now: UnixTime = RequestPipeline.now
    ) async throws -> Refusal? {
        let answer = try await answer(lines, path: path, method: method, at: now)
        if case .malformed(let violation) = answer { return Refusal(violation) }
        return answer.refusal
    }
}
