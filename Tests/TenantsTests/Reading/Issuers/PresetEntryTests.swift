import TestSupport
import Testing
import Verification

@testable import Tenants

/// Entries with presets, made of what an operator reads in a token.
struct PresetEntryTests {
    private static func entry(_ preset: String, _ issuer: String, _ audiences: [String] = ["a"]) throws -> PresetEntry {
        try #require(ProviderPreset.named(preset)).entry(issuer: issuer, audiences: audiences)
    }

    private static func arguments(_ entry: PresetEntry) -> [String] {
        entry.arguments.map { "\($0.key): \($0.value)" }
    }

    @Test(arguments: ProviderSample.all)
    func issuerOfEveryPresetGivesItsArguments(sample: ProviderSample) throws {
        let wanted = try #require(Sample.read(Sample.tenant(issuers: sample.yaml)).configuration).tenants[0]
        let issuers = wanted.authenticate.policy.issuers
        for issuer in issuers {
            let entry = try Self.entry(sample.name, issuer.issuer, issuer.audiences)
            #expect(entry.knowsIssuer && entry.knowsKeys && !entry.arguments.isEmpty)
            var parts = ["preset: \(sample.name)"] + entry.arguments.map { "\($0.key): \"\($0.value)\"" }
            if entry.audiences != issuer.audiences {
                parts.append("audiences: [\(issuer.audiences.map { "\"\($0)\"" }.joined(separator: ", "))]")
            }
            let read = Sample.read(Sample.tenant(issuers: "[{ \(parts.joined(separator: ", ")) }]"))
            let given = try #require(read.configuration, "\(read.errors)").tenants[0].authenticate
            #expect(given.policy.issuers.map(\.issuer) == issuers.map(\.issuer))
            #expect(given.policy.issuers.map(\.audiences) == issuers.map(\.audiences))
            #expect(given.keySources == wanted.authenticate.keySources)
        }
    }

    @Test(arguments: [
        ("auth0", "https://shop.eu.auth0.com", ["domain: shop.eu.auth0.com"]),
        ("clerk", "https://clerk.shop.example/", ["domain: clerk.shop.example"]),
        ("keycloak", "https://id.example.com:8443/realms/shop", ["domain: id.example.com:8443", "realm: shop"]),
        (
            "entra", "https://sts.windows.net/aaaabbbb-0000-cccc-1111-dddd2222eeee/",
            ["tenant: aaaabbbb-0000-cccc-1111-dddd2222eeee"]
        ),
    ])
    func formsOfOneIssuerGiveTheSame(_ preset: String, _ issuer: String, _ arguments: [String]) throws {
        let entry = try Self.entry(preset, issuer)
        #expect(entry.knowsIssuer && entry.knowsKeys)
        #expect(Self.arguments(entry) == arguments)
    }

    @Test(arguments: [
        ("keycloak", "http://id.example.com/realms/shop"), ("keycloak", "https://id.example.com/auth/realms/shop"),
        ("keycloak", "https://id.example.com/realms/my%20shop"), ("keycloak", "https://ID.example.com/realms/shop"),
        ("keycloak", "https://id.example.com/realms/"), ("okta", "https://shop.okta.com/oauth2/aus1a2b3c"),
        ("cognito", "https://cognito-idp.eu-west-1.amazonaws.com/us-west-2_Example"),
        ("supabase", "https://api.example.com/auth/v1"), ("zitadel", "https://id.example.com/zitadel"),
    ])
    func issuerThatNoArgumentGivesIsWritten(_ preset: String, _ issuer: String) throws {
        let entry = try Self.entry(preset, issuer, [])
        #expect(!entry.knowsIssuer && entry.knowsKeys && entry.arguments.isEmpty)
    }

    @Test func keysAtAFixedPlaceAreNotThoseOfAnotherIssuer() throws {
        let entry = try Self.entry("entra", "https://shop.b2clogin.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0/")
        #expect(!entry.knowsIssuer && !entry.knowsKeys)
    }

    @Test func audiencesThatAPresetKnowsAreGiven() throws {
        #expect(try Self.entry("supabase", "https://x.supabase.co/auth/v1", []).audiences == ["authenticated"])
        #expect(try Self.entry("supabase", "https://api.example.com/auth/v1", []).audiences == ["authenticated"])
        #expect(try Self.entry("firebase", "https://securetoken.google.com/shop-4711", []).audiences == ["shop-4711"])
        #expect(try Self.entry("zitadel", "https://a.zitadel.cloud", []).audiences == [])
        #expect(try Self.entry("auth0", "https://shop.eu.auth0.com/", []).audiences == [])
    }

    @Test func audienceThatIsAnArgumentBecomesThat() throws {
        let entry = try Self.entry("zitadel", "https://a.zitadel.cloud", ["344374183645413380"])
        #expect(Self.arguments(entry) == ["domain: a.zitadel.cloud", "project: 344374183645413380"])
        #expect(entry.audiences == ["344374183645413380"])
        let other = try Self.entry("firebase", "https://securetoken.google.com/shop-4711", ["another"])
        #expect(Self.arguments(other) == ["project: shop-4711"])
        #expect(other.audiences == ["shop-4711"])
    }

    @Test func exampleOfAnIssuerNamesItsArguments() throws {
        let examples = ProviderPreset.all.map(\.issuerExample)
        #expect(examples.first == "https://DOMAIN/realms/REALM")
        #expect(examples[3] == "https://cognito-idp.REGION.amazonaws.com/POOL")
        #expect(examples.allSatisfy { $0.hasPrefix("https://") && !$0.contains("{") && !$0.contains("}") })
    }
}
