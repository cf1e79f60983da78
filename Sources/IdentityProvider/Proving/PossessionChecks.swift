import Store
import Tenants
import Time
import Verification

/// Finds out what the sender of a request for one of the gateway's own endpoints holds besides tokens: a key, by a DPoP
/// proof (RFC 9449), or a certificate, by its connection (RFC 8705).
///
/// Of a tenant without `dpop` the field is not looked at, as by a server that knows nothing of it.
struct PossessionChecks: Sendable {
    /// Nil: proofs are not looked at.
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

    /// Whose key a request that wants tokens proves to hold.
    ///
    /// - Returns: Its thumbprint; nil where nothing is proved.
    func key(of request: EndpointRequest) async throws(PossessionProblem) -> [UInt8]? {
        guard let rules, !request.fields.proofs.isEmpty else { return nil }
        return try await proof(in: request, rules, token: nil, key: nil)
    }

    /// Whether a request may use an access token.
    ///
    /// - Parameters:
    ///   - principal: What it was verified as.
    ///   - isForEnd: Whether it is used to end its session: a tenant that demands bound tokens takes others for that.
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
        // Whatever the mode: what is bound was never meant for who has no proof.
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
            maxAge: rules.maxAge.seconds,
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
        // Before it is used up: the same request with the nonce has to be a new proof anyway.
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
        do throws(StoreError) {
            return try await memory.isFirstUse(
                keyThumbprint: proof.keyThumbprint,
                id: proof.id,
                until: proof.issuedAt + rules.maxAge.seconds,
                at: now
            )
        } catch {
            throw .storeUnavailable
        }
    }
}

// MARK: - With the answers of endpoints

extension PossessionChecks {
    /// A new nonce for whoever proves, so that the next proof holds one (RFC 9449 sections 8.2 and 9), and what lets a
    /// script read it.
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

    /// Where an access token was used.
    func error(_ problem: PossessionProblem) -> OAuthError {
        OAuthError(problem, realm: realm, algorithms: rules?.algorithms)
    }
}

extension EndpointRequest {
    /// Whether `token` is what the Authorization field says with the scheme DPoP (RFC 9449 section 7.1).
    fileprivate func hasProofScheme(for token: String) -> Bool {
        fields.authorization.flatMap { AuthorizationField.credentials("DPoP", in: $0) }
            .map { $0.utf8.elementsEqual(token.utf8) } ?? false
    }
}
