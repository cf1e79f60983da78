import Tenants
import Verification

@testable import IdentityProvider
@testable import TokenSigning

extension TestKeys {
    static func directoryKeys(_ algorithm: SignatureAlgorithm, _ files: any FileReading) -> ConfiguredKeys {
        ConfiguredKeys(
            algorithm: algorithm,
            source: SigningKeyDirectory(path: directory, algorithm: algorithm, files: files)
        )
    }
}
