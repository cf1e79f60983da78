/// Why no key set could be made.
public enum KeySetError: Error, Sendable, Equatable {
    /// Longer than 1 MiB.
    case tooLong
    /// Not strict JSON.
    case notJSON(JSONParsingError)
    /// JSON, but neither a JWK Set with an array `keys` nor a JWK.
    case notAKeySet
    /// Nothing in it can verify a token; the problem of its first key, if it has one.
    case noUsableKey(KeyProblem?)
    /// The key at this index in a set from a file, counted from zero, is broken.
    case malformedKey(index: Int, KeyProblem)
    /// Symmetric and asymmetric keys in one set, which invites one to be taken for the other.
    case mixedKinds
    /// No complete PEM block of a kind that holds a key.
    case notPEM
    /// A private key where a public one is expected.
    case privateKey
    /// One of the given algorithms does not fit the key.
    case algorithmDoesNotFit(SignatureAlgorithm)
}

extension KeySetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong: "the key set is longer than 1 MiB"
        case .notJSON: "the key set is not strict JSON"
        case .notAKeySet: "neither a JWK Set (an object with an array \"keys\") nor a JWK"
        case .noUsableKey(let problem?): "no usable key: \(problem)"
        case .noUsableKey(nil): "no usable key"
        case .malformedKey(let index, let problem): "key \(index + 1) of the set: \(problem)"
        case .mixedKinds: "symmetric and asymmetric keys in one set; keep them in two"
        case .notPEM: "no PEM block of a supported key"
        case .privateKey: "a private key; give the public key (openssl pkey -pubout)"
        case .algorithmDoesNotFit(let algorithm): "the key cannot be used with \(algorithm.rawValue)"
        }
    }
}
