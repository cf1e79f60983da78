import Tenants
import Verification

extension SigningKeyDirectory {
    /// The keys that the directory verifies with; private keys by their public halves.
    public func published() throws(SigningProblem) -> PublishedKeys {
        let source = KeyFileSource(kind: .directory, path: path, algorithms: [algorithm])
        do throws(KeyFileProblem) {
            return PublishedKeys(try source.load(from: files), algorithm: algorithm)
        } catch {
            throw .unpublishable(error)
        }
    }
}
