public import Verification

extension PublishedKeys {
    /// Publishes those of `keys` that verify `algorithm`, with their public members only (RFC 7517 section 4).
    public init(_ keys: KeySet, algorithm: SignatureAlgorithm) {
        let fitting = keys.keys.filter { $0.algorithms.contains(algorithm) }
        let members = fitting.compactMap { $0.publicJWK(algorithm: algorithm) }
        self.init(document: ["keys": .array(members.map(JSONValue.object))], keys: keys)
    }
}

extension SigningKeyring {
    /// The public halves of all its keys.
    func published() throws(SigningProblem) -> PublishedKeys {
        let members = keys.compactMap { $0.key.publicJWK(algorithm: algorithm) }
        let set = JSONWriter.bytes(of: ["keys": .array(members.map(JSONValue.object))] as JSONObject)
        do throws(KeySetError) {
            return PublishedKeys(try KeySet(jwks: set), algorithm: algorithm)
        } catch {
            throw .store(.garbled("\(error)"))
        }
    }
}
