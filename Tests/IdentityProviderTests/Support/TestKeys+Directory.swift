import Tenants
import Verification

@testable import IdentityProvider
@testable import TokenSigning

extension TestKeys {
    static func directoryKeys(_ algorithm: SignatureAlgorithm, _ files: any FileReading) -> DirectoryKeys {
        DirectoryKeys(
            algorithm: algorithm,
            directory: SigningKeyDirectory(path: directory, algorithm: algorithm, files: files)
        )
    }
}
