public import Store
public import Tenants
public import Verification

/// Why an issuer cannot sign.
public enum SigningProblem: Error, Sendable, Equatable {
    /// The directory, or a file in it, cannot be read.
    case unreadable(path: String, FileReadingError)
    /// The file has no usable private key.
    case unusable(path: String, SigningError)
    /// No file in the directory has a private key for the algorithm.
    case noKey(directory: String, SignatureAlgorithm)
    /// The keys of the files cannot be used or published.
    case unpublishable(KeyFileProblem)
    /// The keys of tenants.yaml cannot be published.
    case notPublished(KeySetError)
    /// The keys in the store were never read, or cannot be changed.
    case store(StoreError)
    /// The keys in the store were last read so many seconds ago: others may have taken over.
    case outOfTouch(seconds: Int)
    /// No key could be made.
    case notGenerated(SigningError)
    /// OpenSSL made no signature.
    case notSigned(SigningError)
    /// The claims make a token of so many bytes, more than verifiers accept.
    case tooLong(Int)
    /// The next refresh token could not be sealed for a retry.
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
        case .unpublishable(let problem): problem.description
        case .notPublished(let error): "the issuer's keys cannot be published: \(error)"
        case .store(let error): "the issuer's signing keys in the store: \(error)"
        case .outOfTouch(let seconds):
            "the issuer's signing keys were last read from the store \(seconds) s ago, and may have been replaced"
        case .notGenerated(let error): "no signing key could be made: \(error)"
        case .notSigned(let error): error.description
        case .tooLong(let bytes): "the claims make a token of \(bytes) bytes"
        case .notSealed: "the next refresh token could not be encrypted"
        }
    }
}
