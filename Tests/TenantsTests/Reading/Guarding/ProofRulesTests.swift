import Testing

@testable import Tenants

/// What `dpop` comes out as.
struct ProofRulesTests {
    private static func tenant(_ more: String) throws -> Tenant {
        let result = Sample.read(Sample.tenant(more: more))
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first)
    }

    @Test func proofsAreNotCheckedWithoutDPoP() throws {
        #expect(try Self.tenant("strip_prefix: false").proof == nil)
    }

    @Test func emptySectionHasDefaults() throws {
        let rules = ProofRules(
            need: .required,
            nonce: false,
            maxAge: .seconds(60),
            algorithms: [.es256, .edDSA],
            mode: .enforce,
            line: 8
        )
        #expect(try Self.tenant("dpop: {}").proof == rules)
    }

    @Test func everyKeyIsRead() throws {
        let tenant = try Self.tenant(
            """
            dpop:
              need: optional
              nonce: true
              max_age: 90s
              algorithms: [PS256, ES384]
              mode: observe
            """
        )
        let rules = ProofRules(
            need: .optional,
            nonce: true,
            maxAge: .seconds(90),
            algorithms: [.ps256, .es384],
            mode: .observe,
            line: 8
        )
        #expect(tenant.proof == rules)
    }
}
