import ConfigurationText
import Tenants
import Time
import Verification

/// Whether the sender of a valid token may use it: a token bound to a key or a certificate is useless without it (RFC
/// 9449 section 7, RFC 8705 section 3).
///
/// The token itself was checked before, so this costs nothing for an invalid one, and no proof is used up by a request
/// that fails for its token.
struct BindingCheck {
    enum Verdict {
        case holds
        case refused(Refusal)
        /// The caller has proved nothing, which is only observed.
        ///
        /// - Parameter line: Of the rule.
        case observed(Refusal, line: SourceLine)
        case needs(ProofStep)
    }

    let request: CanonicalRequest
    let decisionContext: DecisionContext
    let now: UnixTime
    let tenant: TenantIndex
    /// The tenant's proof rules; nil for one without DPoP.
    let proving: TenantProving?
    let caller: Caller
    /// The token in the head.
    let token: Range<Int>
    /// Whether proofs may still be sent to be checked.
    let mayRequest: Bool

    func verdict(_ bytes: Span<UInt8>) -> Verdict {
        if let confirmation = caller.confirmation, let refusal = refusalOfBinding(confirmation) {
            return refused(refusal)
        }
        guard let proving else {
            return caller.confirmation?.keyThumbprint == nil ? .holds : refused(.boundTokenUnknown)
        }
        let hasProofScheme = TokenFinder.isBoundScheme(of: token, request.head, bytes)
        guard let key = caller.confirmation?.keyThumbprint else {
            return verdictOnUnbound(proving, hasProofScheme: hasProofScheme)
        }
        let verdict = hasProofScheme ? verdictOnProof(proving, key: key, bytes) : refused(.boundTokenAsBearer)
        guard case .refused(let refusal) = verdict, proving.rules.mode == .observe else { return verdict }
        return .observed(refusal, line: proving.rules.line)
    }

    /// The checks that need no proof.
    private func refusalOfBinding(_ confirmation: Confirmation) -> Refusal? {
        if confirmation.hasUnknown { return .unknownConfirmation }
        guard let certificate = confirmation.certificateThumbprint else { return nil }
        guard let shown = decisionContext.peer?.clientCertificateThumbprint,
            ConstantTime.areEqual(shown, certificate)
        else {
            return .otherCertificate
        }
        decisionContext.explanation?.note(.proof, "the connection has the certificate that the token is bound to")
        return nil
    }

    private func verdictOnUnbound(_ proving: TenantProving, hasProofScheme: Bool) -> Verdict {
        let refusal: Refusal
        if hasProofScheme {
            refusal = .bearerTokenWithProof
        } else if proving.rules.need == .required {
            refusal = .unboundToken
        } else {
            decisionContext.explanation?.note(
                .proof,
                "the token is bound to no key and counts as a bearer token",
                line: proving.rules.line
            )
            return .holds
        }
        guard proving.rules.mode == .observe else { return refused(refusal) }
        // It is a valid bearer token, as it was before proofs were required.
        decisionContext.note(ObservedRefusal(refusal: refusal, line: proving.rules.line))
        decisionContext.explanation?.note(.proof, "only observed: \(refusal.detail)", line: proving.rules.line)
        return .holds
    }

    // MARK: The proof

    private func verdictOnProof(_ proving: TenantProving, key: [UInt8], _ bytes: Span<UInt8>) -> Verdict {
        if let finding = decisionContext.steps.proof { return verdict(on: finding, key: key) }
        guard let field = ProofField.find(request.head, bytes) else {
            return refusedProof(proving, "the request has no DPoP proof")
        }
        guard case .one(let range) = field else {
            return refusedProof(proving, "the request has several DPoP proofs")
        }
        let proof: DPoPProof
        do throws(DPoPFailure) {
            proof = try DPoPProof.parse(bytes.extracting(range))
            try proof.check(expectation(proving, key: key, bytes), at: now)
        } catch {
            return refusedProof(proving, error.summary)
        }
        if let nonces = proving.nonces {
            guard let nonce = proof.nonce, nonces.isGood(nonce, at: now) else {
                let problem = proof.nonce == nil ? "has no nonce" : "has a nonce that is not good any more"
                return refusedProof(proving, "the DPoP proof \(problem): use the one given here", .nonceNeeded)
            }
            if nonces.isAging(nonce, at: now) {
                decisionContext.freshNonce = nonces.make(at: now)
            }
        }
        // A hypothetical request proves nothing, and must not use up a proof.
        guard !decisionContext.source.isRehearsal else { return rehearse(proof, key: key) }
        // Each proof is checked once; a check that failed then has no result.
        guard mayRequest else {
            return decisionContext.steps.withoutCapacity.contains(.proof)
                ? refused(.overloaded) : verdict(on: .storeUnavailable, key: key)
        }
        return .needs(ProofStep(tenant: tenant, proof: proof, usableUntil: proof.issuedAt + proving.maxAge))
    }

    private func expectation(_ proving: TenantProving, key: [UInt8], _ bytes: Span<UInt8>) -> DPoPExpectation {
        DPoPExpectation(
            method: String(decoding: bytes.copy(request.head.method), as: UTF8.self),
            target: RequestedURL.text(request, bytes, decisionContext.peer),
            algorithms: proving.rules.algorithms,
            maxAge: proving.maxAge,
            accessToken: bytes.copy(token),
            keyThumbprint: key
        )
    }

    private func rehearse(_ proof: DPoPProof, key: [UInt8]) -> Verdict {
        do throws(DPoPFailure) {
            try proof.verifySignature()
            return verdict(on: .good(keyThumbprint: key), key: key)
        } catch {
            return verdict(on: .badSignature, key: key)
        }
    }

    private func verdict(on finding: ProofFinding, key: [UInt8]) -> Verdict {
        switch finding {
        case .good(let proven):
            // A token that a refresh has replaced meanwhile must be bound to the same key.
            guard ConstantTime.areEqual(proven, key) else { return refused(.badProof(DPoPFailure.wrongKey.summary)) }
            decisionContext.explanation?.note(.proof, "the DPoP proof is good", line: proving?.rules.line)
            return .holds
        case .badSignature: return refused(.badProof(DPoPFailure.badSignature.summary))
        case .replayed: return refused(.badProof("the DPoP proof was used before"))
        case .storeUnavailable: return refused(.proofMemoryUnavailable)
        }
    }

    /// - Returns: With a nonce for the next try, if proofs need one.
    private func refusedProof(
        _ proving: TenantProving,
        _ detail: String,
        _ error: ProofError = .invalidProof
    ) -> Verdict {
        var refusal = Refusal.badProof(detail, error)
        if let nonces = proving.nonces { refusal.fields = ProofNonceField.fields(nonces.make(at: now)) }
        return refused(refusal)
    }

    private func refused(_ refusal: Refusal) -> Verdict {
        decisionContext.explanation?.note(.proof, refusal.detail, line: proving?.rules.line)
        return .refused(refusal)
    }
}
