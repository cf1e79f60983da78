import Authorization
import Verification

extension Worker {
    /// Proofs of one tenant that may wait: the limit per tenant keeps one tenant's flood from others.
    private static let mostProofs = 512

    /// Has the proof checked: its signature off the loop, and whether it was used before. Returns whether the limit
    /// allows it.
    func perform(_ step: ProofStep, for client: any SlowStepClient) -> Bool {
        guard let proving = serving.tenants[step.tenant].runtime.proving, proving.stepsUnderWay < Self.mostProofs else {
            return false
        }
        proving.stepsUnderWay += 1
        let use = controlPlane.useProof
        settle(client, inTurnOf: step.tenant) { verifier, checkEnded in
            let isSigned = await verifier.isSigned(step.proof)
            checkEnded()
            // Record only signed proofs: otherwise anyone could use up another's proofs.
            return isSigned ? await use(step) : .badSignature
        } with: { _, serving, decisionContext, finding in
            serving.tenants[step.tenant].runtime.proving?.stepsUnderWay -= 1
            decisionContext?.steps.proof = finding
        }
        return true
    }
}

extension SlowVerifier {
    func isSigned(_ proof: DPoPProof) -> Bool {
        do throws(DPoPFailure) {
            try proof.verifySignature()
            return true
        } catch {
            return false
        }
    }
}
