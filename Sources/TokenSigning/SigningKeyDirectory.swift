public import Tenants
public import Verification

/// `issuer.keys_dir` as used for signing: the private keys in its `*.pem` files, each under the `kid` that verifiers
/// know. That is its file name without the extension; `gatehouse keys generate` uses the thumbprint (RFC 7638).
///
/// A key has no age. The one whose file name sorts last signs, so the name of an added key decides whether it takes
/// over.
public struct SigningKeyDirectory: SigningKeySource {
    private static let ending = ".pem"

    let path: String
    let algorithm: SignatureAlgorithm
    let files: any FileReading

    public init(path: String, algorithm: SignatureAlgorithm, files: any FileReading) {
        self.path = path
        self.algorithm = algorithm
        self.files = files
    }

    /// The keys as they are in the directory now. A key that does not fit the algorithm is skipped.
    ///
    /// - Throws: ``SigningProblem/unreadable(path:_:)``, ``SigningProblem/unusable(path:_:)`` for the first file
    ///   without a usable private key, which may be one that is being written, or
    ///   ``SigningProblem/noKey(directory:_:)``.
    public func load() throws(SigningProblem) -> SigningKeys {
        var keys: [SigningKeys.NamedKey] = []
        for name in try names() {
            let key = try read(name)
            guard key.algorithms.contains(algorithm) else { continue }
            keys.append(SigningKeys.NamedKey(keyID: String(name.dropLast(Self.ending.count)), key: key))
        }
        guard let keys = SigningKeys(keys, active: keys.last) else { throw .noKey(directory: path, algorithm) }
        return keys
    }

    private func names() throws(SigningProblem) -> [String] {
        do throws(FileReadingError) {
            return try files.list(path).filter { !$0.hasPrefix(".") && $0.hasSuffix(Self.ending) }.sorted()
        } catch {
            throw error == .notFound ? .noKey(directory: path, algorithm) : .unreadable(path: path, error)
        }
    }

    private func read(_ name: String) throws(SigningProblem) -> SigningKey {
        let path = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
        let pem: [UInt8]
        do throws(FileReadingError) {
            pem = try files.read(path)
        } catch {
            throw .unreadable(path: path, error)
        }
        do throws(SigningError) {
            return try SigningKey(pem: pem)
        } catch {
            throw .unusable(path: path, error)
        }
    }
}
