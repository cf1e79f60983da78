import Tenants
import Testing
import Verification

@testable import Gateway

struct SealingKeyRequirementTests {
    private static let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// - Parameter issuer: More keys of the issuer.
    private func warnings(keys: String?, issuer: String = "") throws -> [String] {
        let text = """
            version: 1
            tenants:
              shop:
                hosts: [shop.test]
                backend: { servers: ["http://127.0.0.1:9001"] }
                authenticate: { issuers: [{ preset: built-in }] }
                issuer: { url: "https://shop.test", audience: shop, algorithm: ES256\(issuer) }
            """
        let result = TenantsFile.read(text: Array(text.utf8), path: "f", environment: [:], files: DiskFiles())
        let configuration = try #require(result.configuration, "\(result.diagnostics)")
        return SealingKeyRequirement.warnings(configuration, keys: keys.map { Secret($0) }, file: "f").map(
            \.description
        )
    }

    @Test func missingKeyIsWarnedOfWhereItIsNeeded() throws {
        let warnings = try warnings(keys: nil)
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasPrefix("f:7:1: warning: the issuer of tenant \"shop\" keeps its signing keys") == true
        )
        #expect(warnings.first?.hasSuffix("; run refuses to start") == true)
    }

    @Test func issuerThatIsGivenItsKeyNeedsNone() throws {
        let pem = try #require(try SigningKey.generate(.p256).privateKeyPEM).replacing("\n", with: #"\n"#)
        #expect(try warnings(keys: nil, issuer: ", key: '\(pem)'").isEmpty)
    }

    @Test func malformedKeyIsWarnedOf() throws {
        #expect(try warnings(keys: Self.key).isEmpty)
        let warnings = try warnings(keys: "AAAA")
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("GATEHOUSE_KEY") && !$0.contains("AAAA") })
    }
}
