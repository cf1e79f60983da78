import Testing
import Verification

@testable import IdentityProvider
@testable import TokenSigning

/// Signs with ``TestKeys``. Publishes none: verifiers read the files.
struct SessionTestKeys: IssuerKeys {
    let algorithm: SignatureAlgorithm
    /// Makes signing fail.
    var problem: SigningProblem?

    func sign(_ claims: JSONObject, as type: IssuedTokenType) async throws(SigningProblem) -> String {
        if let problem { throw problem }
        guard let key = algorithm == .es256 ? TestKeys.p256 : TestKeys.rsa else {
            throw .noKey(directory: TestKeys.directory, algorithm)
        }
        do throws(SigningError) {
            let signer = try TokenSigner(key, algorithm: algorithm, keyID: key.thumbprint)
            return try signer.sign(claims, header: ["typ": .string(type.rawValue)])
        } catch {
            throw .notSigned(error)
        }
    }

    func published() async throws(SigningProblem) -> PublishedKeys {
        throw .noKey(directory: TestKeys.directory, algorithm)
    }
}
