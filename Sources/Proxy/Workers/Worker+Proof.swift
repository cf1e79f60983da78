import Authorization
import Verification

extension Worker {
    /// Proofs of one tenant that may wait: one tenant's flood leaves the others their places.
    private static let mostProofs = 512

    /// Has the proof checked: its signature on a loop for that, and whether it was used before. Gives whether there is
    /// room for it.
    func perform(_ step: ProofStep, for client: any SlowStepClient) -> Bool {
        guard let proving = serving.tenants[step.tenant].runtime.proving, proving.stepsUnderWay < Self.mostProofs else {
            return false
        }
        proving.stepsUnderWay += 1
        let use = controlPlane.useProof
        settle(client, inTurnOf: step.tenant) { verifier, isChecked in
            let isSigned = await verifier.isSigned(step.proof)
            isChecked()
            // Only what its key has signed is taken note of: nobody uses up another's proofs.
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
