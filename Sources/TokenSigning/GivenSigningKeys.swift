public import Tenants
import Verification

/// The keys that an issuer is given one by one (`key`, `key_file`, `key_files`): the first signs.
public struct GivenSigningKeys: SigningKeySource {
    private let issuer: BuiltInIssuer
    private let files: any FileReading

    /// - Parameter issuer: Has ``BuiltInIssuer/givenKeys``.
    public init(_ issuer: BuiltInIssuer, files: any FileReading) {
        self.issuer = issuer
        self.files = files
    }

    public func load() throws(SigningProblem) -> SigningKeys {
        let keys = try read().map { SigningKeys.NamedKey(keyID: $0.keyID, key: $0.key) }
        guard let keys = SigningKeys(keys, active: keys.first) else {
            throw .noKey(directory: "DIR", issuer.algorithm)
        }
        return keys
    }

    public func published() throws(SigningProblem) -> PublishedKeys {
        let keys = try read()
        do throws(KeySetError) {
            return PublishedKeys(try GivenSigningKey.publicKeys(keys), algorithm: issuer.algorithm)
        } catch {
            throw .notPublished(error)
        }
    }

    private func read() throws(SigningProblem) -> [GivenSigningKey] {
        switch issuer.givenKeys {
        case .inline(let keys)?: return keys
        case .files?, nil:
            do throws(KeyFileProblem) {
                return try issuer.keyFiles?.privateKeys(from: files) ?? []
            } catch {
                throw .unpublishable(error)
            }
        }
    }
}
