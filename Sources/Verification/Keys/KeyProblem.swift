/// Why one key cannot be used.
public enum KeyProblem: Error, Sendable, Equatable {
    case unknownKeyType
    case unknownCurve
    case unknownAlgorithm
    /// The member of this (standard) name is missing, of another type or not in its canonical form.
    case badMember(String)
    /// `use` or `key_ops` do not allow verification.
    case notForVerification
    /// `alg` names an algorithm of another kind of key.
    case algorithmDoesNotFit
    /// RSA below 2048 bits (RFC 7518 section 3.3).
    case modulusTooShort(bits: Int)
    /// RSA beyond 16384 bits, which could be used to burn CPU time.
    case modulusTooLong(bits: Int)
    /// RSA with an even exponent, an exponent of one or one of more than 64 bits, or an even modulus.
    case badRSAParameters
    /// An RSA modulus with the fingerprint of CVE-2017-15361: its factors can be found.
    case vulnerableModulus
    /// The point is not on the curve, or not in its canonical length.
    case badPoint
    /// A secret shorter than the hash of every HMAC algorithm that it could serve (RFC 7518 section 3.2).
    case secretTooShort(bytes: Int)
    /// A symmetric key in a set from a URL, where everyone can read it.
    case symmetricKeyFromURL
    /// A private key in a set from a URL: anyone who reads the set can sign.
    case privateKeyFromURL
}

extension KeyProblem {
    /// Whether the key is broken, rather than valid but unusable here.
    var isMalformed: Bool {
        switch self {
        case .badMember, .badRSAParameters, .badPoint: true
        case .unknownKeyType, .unknownCurve, .unknownAlgorithm, .notForVerification, .algorithmDoesNotFit,
            .modulusTooShort, .modulusTooLong, .vulnerableModulus, .secretTooShort, .symmetricKeyFromURL,
            .privateKeyFromURL:
            false
        }
    }
}

extension KeyProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKeyType: "unknown key type"
        case .unknownCurve: "unknown curve"
        case .unknownAlgorithm: "unknown algorithm"
        case .badMember(let name): "\"\(name)\" is missing or malformed"
        case .notForVerification: "\"use\" or \"key_ops\" do not allow verification"
        case .algorithmDoesNotFit: "\"alg\" does not fit the kind of key"
        case .modulusTooShort(let bits): "RSA with \(bits) bits, at least 2048 are needed"
        case .modulusTooLong(let bits): "RSA with \(bits) bits, at most 16384 are accepted"
        case .badRSAParameters: "RSA modulus or exponent that no sound key has"
        case .vulnerableModulus: "RSA modulus that can be factored (ROCA, CVE-2017-15361)"
        case .badPoint: "the point is not on the curve"
        case .secretTooShort(let bytes):
            "a secret of \(bytes) bytes, at least 32 (HS256), 48 (HS384) or 64 (HS512) are needed"
        case .symmetricKeyFromURL: "a symmetric key in a public key set"
        case .privateKeyFromURL: "a private key in a public key set"
        }
    }
}
