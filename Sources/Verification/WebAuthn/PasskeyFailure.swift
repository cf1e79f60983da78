/// Why a passkey is not accepted.
public enum PasskeyFailure: Error, Sendable, Equatable {
    /// A part of the response cannot be read.
    case malformed(String)
    /// A response to another kind of request: made for signing in where one is added, or the reverse.
    case wrongCeremony
    /// The challenge is of another request, or was used before.
    case wrongChallenge
    /// Made on another site.
    case wrongOrigin(String)
    /// Made inside a frame of another site.
    case framed
    /// Made over a connection with token binding, which is none of ours.
    case tokenBound
    /// Made for another relying party.
    case wrongRelyingParty
    /// Nobody touched the authenticator.
    case userNotPresent
    /// The authenticator did not check who uses it, which is required.
    case userNotVerified
    /// Neither ES256, EdDSA nor RS256, or a key that is none.
    case unsupportedKey
    /// An attestation of a kind that is not read.
    case unsupportedAttestation(String)
    /// The attestation is not of this credential.
    case badAttestation
    case badSignature
    /// The authenticator has signed less often than before: there is a copy of it.
    case counterWentBack
    /// Whether the credential may be backed up has changed, which it cannot.
    case backupEligibilityChanged
}

extension PasskeyFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let part): "\(part) cannot be read"
        case .wrongCeremony: "the response is to another kind of request"
        case .wrongChallenge: "the challenge is of another request"
        case .wrongOrigin(let origin): "it was made at \(String(origin.prefix(200)))"
        case .framed: "it was made in a frame of another site"
        case .tokenBound: "it was made over another connection"
        case .wrongRelyingParty: "it is for another relying party"
        case .userNotPresent: "nobody confirmed it"
        case .userNotVerified: "the authenticator did not verify who used it"
        case .unsupportedKey: "its key is none of ES256, EdDSA or RS256"
        case .unsupportedAttestation(let format): "its attestation \"\(String(format.prefix(32)))\" is not supported"
        case .badAttestation: "its attestation is not of this credential"
        case .badSignature: "its signature is wrong"
        case .counterWentBack: "its counter went back, so that there may be a copy of it"
        case .backupEligibilityChanged: "it changed whether it may be backed up"
        }
    }
}
