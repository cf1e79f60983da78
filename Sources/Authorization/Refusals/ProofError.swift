/// The error of a proof, as reported in a challenge (RFC 9449 sections 7.1 and 9).
package enum ProofError: String {
    case invalidProof = "invalid_dpop_proof"
    case nonceNeeded = "use_dpop_nonce"
}
