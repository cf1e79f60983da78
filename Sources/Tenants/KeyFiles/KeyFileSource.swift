public import Verification

/// Keys in a file, or in the files of a directory.
public struct KeyFileSource: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A shared secret; one newline at its end is dropped.
        case secret
        /// Public keys in PEM.
        case publicKey
        /// A JWK Set.
        case keySet
        /// The `*.pem`, `*.jwk` and `*.jwks` of a directory, which may be made later.
        case directory
        /// Private keys of an issuer, in PEM or as JWK: in the file at `path`, whose first key signs, and in these.
        case privateKeys(others: [String])
    }

    public var kind: Kind
    /// Resolved: absolute, or relative to where the gateway runs.
    public var path: String
    /// What the issuer may sign with; each needs a key that fits.
    public var algorithms: [SignatureAlgorithm]

    public init(kind: Kind, path: String, algorithms: [SignatureAlgorithm]) {
        self.kind = kind
        self.path = path
        self.algorithms = algorithms
    }

    /// What to watch for a change: the file; for a directory, itself and each key file in it, since rewriting a file does
    /// not change its directory.
    public func watchedPaths(in files: any FileReading = DiskFiles()) -> [String] {
        if case .privateKeys(let others) = kind { return [path] + others }
        guard kind == .directory else { return [path] }
        let names = (try? KeyDirectory.names(path, files)) ?? []
        return [path] + names.map { KeyDirectory.path($0, in: path) }
    }

    /// Reads the keys, with the same checks as `gatehouse check`.
    ///
    /// - Returns: The empty set for a directory that does not exist or holds no key: it verifies nothing.
    /// - Throws: ``KeyFileProblem``; callers keep the keys they had.
    public func load(from files: any FileReading = DiskFiles()) throws(KeyFileProblem) -> KeySet {
        do throws(KeyFileFault) {
            return try keySet(files)
        } catch {
            throw KeyFileProblem(path: path, fault: error)
        }
    }
}

/// Why the keys of a file cannot be used.
public struct KeyFileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file or directory.
    public let path: String
    let fault: KeyFileFault

    /// On one line: the file, the fault and the remedy, without the file's content.
    public var description: String {
        fault.messages(subject: "\"\(path)\"").joined(separator: "; ")
    }
}
