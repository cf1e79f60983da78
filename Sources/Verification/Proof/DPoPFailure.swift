/// Why a proof of possession was refused. Nothing that it contained is in here, so all may be logged and sent.
public enum DPoPFailure: Error, Sendable, Equatable {
    case tooLong
    /// It is not a strict JWS with a claims set.
    case malformed(VerificationFailure)
    case wrongType
    case symmetricAlgorithm
    case algorithmNotAllowed
    case missingKey
    case badKey
    /// The key came with its private half.
    case privateKey
    case algorithmDoesNotFitKey
    case missingClaim(String)
    case badClaim(String)
    case wrongMethod
    case wrongTarget
    case tooOld
    case issuedInFuture
    /// `ath` is of another token.
    case wrongToken
    /// The token is bound to another key.
    case wrongKey
    case badSignature

    /// The reason in plain language, fit for an `error_description` (RFC 6750 section 3: no quotes, no backslashes).
    public var summary: String {
        switch self {
        case .tooLong: "the DPoP proof is longer than \(DPoPProof.maximumLength) bytes"
        case .malformed(let failure): Self.summary(of: failure)
        case .wrongType: "the DPoP proof's typ is not dpop+jwt"
        case .symmetricAlgorithm: "the DPoP proof's algorithm is not asymmetric"
        case .algorithmNotAllowed: "the DPoP proof's algorithm is not allowed here"
        case .missingKey: "the DPoP proof has no jwk in its header"
        case .badKey: "the DPoP proof's jwk is not a public key that can be used"
        case .privateKey: "the DPoP proof's jwk holds a private key, which has to be replaced now"
        case .algorithmDoesNotFitKey: "the DPoP proof's algorithm does not fit its key"
        case .missingClaim(let name): "the DPoP proof has no \(name)"
        case .badClaim(let name): "the DPoP proof's \(name) is not of the form that it must have"
        case .wrongMethod: "the DPoP proof is for another method"
        case .wrongTarget: "the DPoP proof is for another URL"
        case .tooOld: "the DPoP proof is too old"
        case .issuedInFuture: "the DPoP proof was issued in the future"
        case .wrongToken: "the DPoP proof is for another token"
        case .wrongKey: "the DPoP proof is of another key than the token is bound to"
        case .badSignature: "the DPoP proof's signature is not good"
        }
    }

    private static func summary(of failure: VerificationFailure) -> String {
        switch failure.reason {
        case .unsupportedAlgorithm: "the DPoP proof's algorithm is not supported"
        case .criticalExtension: "the DPoP proof demands an extension (crit) that is not understood"
        case .unencodedPayload: "the DPoP proof uses the b64 extension, which is not accepted"
        case .badClaim: "the DPoP proof's \(failure.claim ?? "claim") is not of the form that it must have"
        default: "the DPoP proof is not a strict JWS with a claims set"
        }
    }
}

extension DPoPFailure: CustomStringConvertible {
    public var description: String { summary }
}
