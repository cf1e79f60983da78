public import Tenants
public import Verification

/// Why an issuer cannot sign.
public enum SigningProblem: Error, Sendable, Equatable {
    /// The directory, or a file of it, cannot be read.
    case unreadable(path: String, FileReadingError)
    /// The file holds no private key that can be used.
    case unusable(path: String, SigningError)
    /// No file of the directory holds a private key for the algorithm.
    case noKey(directory: String, SignatureAlgorithm)
    /// OpenSSL made no signature.
    case notSigned(SigningError)
    /// The claims make a token of so many bytes, more than a verifier looks at.
    case tooLong(Int)
    /// The next refresh token could not be put away for a client that loses it.
    case notSealed
}

extension SigningProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "\(path): \(error)"
        case .unusable(let path, let error): "\(path): \(error)"
        case .noKey(let directory, let algorithm):
            "no private key for \(algorithm.rawValue) in \(directory) (gatehouse keys generate --algorithm "
                + "\(algorithm.rawValue) --out \(directory))"
        case .notSigned(let error): error.description
        case .tooLong(let bytes): "the claims make a token of \(bytes) bytes"
        case .notSealed: "the next refresh token could not be encrypted"
        }
    }
}
