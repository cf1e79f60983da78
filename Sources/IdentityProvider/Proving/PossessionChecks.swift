import Store
import Tenants
import Time
import Verification

/// Checks what the sender of a request for one of the gateway's own endpoints proves to hold besides tokens: a key, by
/// a DPoP proof (RFC 9449), or a certificate, by its connection (RFC 8705).
///
/// For a tenant without `dpop` the field is ignored, as by a server that does not support it.
struct PossessionChecks: Sendable {
    /// Nil if DPoP is not used.
    let rules: ProofRules?
    private let realm: String
    private let memory: ProofMemory
    private let nonces: ProofNonces

    init(_ context: SignInContext) {
        rules = context.tenant.proof
        realm = context.tenant.name
        memory = ProofMemory(store: context.store, tenant: context.tenant.name)
        nonces = context.proofNonces
    }

    /// The key that a token request proves.
    ///
    /// - Returns: Its thumbprint; nil if nothing is proved.
    func key(of request: EndpointRequest) async throws(PossessionProblem) -> [UInt8]? {
        guard let rules, !request.fields.proofs.isEmpty else { return nil }
        return try await proof(in: request, rules, token: nil, key: nil)
    }

    /// Whether a request may use an access token.
    ///
    /// - Parameters:
    ///   - principal: Its verified claims.
    ///   - isForEnd: Whether it is used to end its session: for that, a tenant that requires bound tokens accepts
    ///     others.
    func check(
        _ principal: Principal,
        _ token: String,
        of request: EndpointRequest,
        isForEnd: Bool = false
    ) async throws(PossessionProblem) {
        let comesWithProof = request.hasProofScheme(for: token)
        guard let confirmation = Confirmation(principal.claims) else {
            guard !comesWithProof else { throw .notBound }
            guard let rules, rules.need == .required, rules.mode == .enforce, !isForEnd else { return }
            throw .bearer
        }
        guard !confirmation.hasUnknown else { throw .unknownConfirmation }
        if let certificate = confirmation.certificateThumbprint {
            guard let own = request.clientCertificateThumbprint, ConstantTime.areEqual(own, certificate) else {
                throw .otherCertificate
            }
        }
        guard let key = confirmation.keyThumbprint else {
            guard !comesWithProof else { throw .notBound }
            return
        }
        // In any mode: a bound token is useless without a proof.
        guard let rules else { throw .unknownConfirmation }
        guard comesWithProof else { throw .downgraded }
        guard !request.fields.proofs.isEmpty else { throw .missing }
        _ = try await proof(in: request, rules, token: Array(token.utf8), key: key)
    }

    /// - Returns: The thumbprint of its key.
    private func proof(
        in request: EndpointRequest,
        _ rules: ProofRules,
        token: [UInt8]?,
        key: [UInt8]?
    ) async throws(PossessionProblem) -> [UInt8] {
        guard request.fields.proofs.count == 1, let text = request.fields.proofs.first else { throw .several }
        let expectation = DPoPExpectation(
            method: request.method,
            target: request.origin + request.path,
            algorithms: rules.algorithms,
            maxAge: rules.maxAge.secondsAsDouble,
            accessToken: token,
            keyThumbprint: key
        )
        let proof: DPoPProof
        do throws(DPoPFailure) {
            proof = try DPoPProof.parse(Array(text.utf8).span)
            try proof.check(expectation, at: request.now)
            try proof.verifySignature()
        } catch {
            throw .refused(error)
        }
        // Before the proof is used up: the request with the nonce needs a new proof anyway.
        if rules.nonce {
            guard let nonce = proof.nonce, nonces.isGood(nonce, at: request.now) else { throw .nonceNeeded }
        }
        guard try await isFirstUse(proof, rules, at: request.now) else { throw .replayed }
        return proof.keyThumbprint
    }

    private func isFirstUse(
        _ proof: DPoPProof,
        _ rules: ProofRules,
        at now: UnixTime
    ) async throws(PossessionProblem) -> Bool {
        try await mappingErrors({ _ in PossessionProblem.storeUnavailable }) { () async throws(StoreError) in
            try await memory.isFirstUse(
                keyThumbprint: proof.keyThumbprint,
                id: proof.id,
                until: proof.issuedAt + rules.maxAge.secondsAsDouble,
                at: now
            )
        }
    }
}

// MARK: - Fields of responses

extension PossessionChecks {
    /// A new nonce for clients that prove possession, for their next proof (RFC 9449 sections 8.2 and 9), and the field
    /// that lets a script read it.
    func nonceFields(for request: EndpointRequest) -> [EndpointResponse.Field] {
        guard rules?.nonce == true, !request.fields.proofs.isEmpty else { return [] }
        return [
            EndpointResponse.Field("DPoP-Nonce", nonces.make(at: request.now)),
            EndpointResponse.Field("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate"),
        ]
    }

    func refusal(_ problem: PossessionProblem) -> EndpointRefusal {
        EndpointRefusal(problem, realm: realm, algorithms: rules?.algorithms)
    }

    /// For an endpoint that uses an access token.
    func error(_ problem: PossessionProblem) -> OAuthError {
        OAuthError(problem, realm: realm, algorithms: rules?.algorithms)
    }
}

extension EndpointRequest {
    /// Whether the Authorization field has `token` with the scheme DPoP (RFC 9449 section 7.1).
    fileprivate func hasProofScheme(for token: String) -> Bool {
        fields.authorization.flatMap { AuthorizationField.credentials("DPoP", in: $0) }
            .map { $0.utf8.elementsEqual(token.utf8) } ?? false
    }
}
