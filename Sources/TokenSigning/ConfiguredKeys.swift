public import Verification

/// The keys of an issuer in files, or in tenants.yaml: those that the gateway does not make. Signs off the event loops: an RSA signature takes most of a millisecond.
public actor ConfiguredKeys: IssuerKeys {
    private let algorithm: SignatureAlgorithm
    private let source: any SigningKeySource
    private var signer: TokenSigner?
    private var publishedKeys: PublishedKeys?
    /// The `kid` of the current signing key; nil before the first load.
    public private(set) var keyID: String?

    /// Keys are loaded when first needed, or by ``reload()``.
    public init(algorithm: SignatureAlgorithm, source: any SigningKeySource) {
        self.algorithm = algorithm
        self.source = source
    }

    /// Loads the keys again. The verifiers must know a key before it signs.
    ///
    /// - Throws: Why the keys cannot be used; the previous ones stay in use.
    public func reload() throws(SigningProblem) {
        let published = try source.published()
        _ = try loadSigner()
        publishedKeys = published
    }

    public func sign(_ claims: JSONObject, as type: IssuedTokenType) throws(SigningProblem) -> String {
        let signer = if let signer { signer } else { try loadSigner() }
        return try signer.token(claims, as: type)
    }

    /// All keys that verify; of a directory also those of `*.jwk` and `*.jwks` files, which do not sign.
    public func published() throws(SigningProblem) -> PublishedKeys {
        if let publishedKeys { return publishedKeys }
        let published = try source.published()
        publishedKeys = published
        return published
    }

    private func loadSigner() throws(SigningProblem) -> TokenSigner {
        let active = try source.load().active
        do throws(SigningError) {
            let signer = try TokenSigner(active.key, algorithm: algorithm, keyID: active.keyID)
            self.signer = signer
            keyID = active.keyID
            return signer
        } catch {
            throw .notSigned(error)
        }
    }
}
