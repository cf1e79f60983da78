public import Verification

/// Signs an issuer's access tokens, aside from the loops that serve requests: an RSA signature takes most of a
/// millisecond.
public actor TokenMint {
    /// A longer token is refused by who verifies it.
    private static let longestToken = 16 * 1024

    private let algorithm: SignatureAlgorithm
    private let directory: SigningKeyDirectory
    private var signer: TokenSigner?
    /// The `kid` that tokens are signed under now; nil before the first.
    public private(set) var keyID: String?

    /// Keys are read when the first token is signed, or at ``reload()``.
    public init(algorithm: SignatureAlgorithm, directory: SigningKeyDirectory) {
        self.algorithm = algorithm
        self.directory = directory
    }

    /// Reads the keys again. The verifiers have to know a key before it signs.
    ///
    /// - Throws: Why the keys cannot be used; what signed before goes on signing then.
    public func reload() throws(SigningProblem) {
        _ = try load()
    }

    /// - Returns: An access token (RFC 9068) with exactly these claims.
    func sign(_ claims: JSONObject) throws(SigningProblem) -> String {
        let signer = if let signer { signer } else { try load() }
        let token: String
        do throws(SigningError) {
            token = try signer.sign(claims, header: ["typ": "at+jwt"])
        } catch {
            throw .notSigned(error)
        }
        guard token.utf8.count <= Self.longestToken else { throw .tooLong(token.utf8.count) }
        return token
    }

    private func load() throws(SigningProblem) -> TokenSigner {
        let active = try directory.load().active
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
