import Tenants
import Testing

@testable import Migration

struct DraftWriterTests {
    @Test(arguments: [
        "a", "true", "null", "12", "a: b", "# x", "\"q\"", "\\", "a\nb", "\u{0}\u{85}\u{2028}\u{feff}é😀", "- a", "*x",
        "&x",
        "/a/**", "${X}", "~", "", " a ", "@x", "{a}", "1e3", "0x1f", "No",
    ])
    func everyTextIsReadAsItself(_ text: String) throws {
        let written =
            "a: \(YAMLLines.scalar(text))\nb: \(YAMLLines.list([text, "x"]))\n\(YAMLLines.scalar("k" + text)): c\n"
        let node = try SourceNode.read(written, file: "t")
        #expect(node.entries.first?.value.text == text || (text.isEmpty && written.hasPrefix("a: \"\"")))
        #expect(node.entries.dropFirst().first?.value.items.first?.text == text)
        #expect(node.entries.last?.key == "k" + text)
    }

    @Test func literalTextIsNoVariable() {
        #expect(DraftText(literal: "a${B}$${C}").text == "a$${B}$$${C}")
        #expect(DraftText(variable: "B").text == "${B}")
    }

    private func authentication(
        _ provider: ProviderKind,
        _ issuer: String?,
        audiences: [String] = ["app"]
    ) throws -> Authentication {
        let issuer = try #require(provider.issuer(issuer, audiences: audiences))
        let draft = FirstDraft.make(
            tenant: "shop",
            hosts: ["shop.test"],
            backends: ["http://127.0.0.1:9001"],
            issuer: issuer
        )
        let result = draft.read()
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)\n\(DraftWriter.text(of: draft))")
        return try #require(result.configuration?.tenants.first?.authenticate)
    }

    @Test(arguments: ProviderKind.allCases)
    func firstDraftOfEveryProviderIsAccepted(_ provider: ProviderKind) throws {
        for issuer in ["https://id.example.com/x", "https://id.example.com"] {
            let issuers = try authentication(provider, issuer).policy.issuers
            #expect(provider.issuerExample == nil || issuers.map(\.issuer).contains { $0.hasPrefix(issuer) })
            #expect(!issuers.isEmpty && issuers.allSatisfy { $0.audiences == ["app"] })
        }
    }

    @Test func issuerThatAPresetKnowsIsWrittenByItsArguments() throws {
        let keycloak = try #require(ProviderKind(rawValue: "keycloak"))
        let issuer = try #require(keycloak.issuer("https://id.example.com/realms/shop", audiences: ["shop-api"]))
        var draft = Draft()
        draft.tenants = [DraftTenant(name: "shop")]
        draft.tenants[0].issuers = [issuer]
        #expect(
            DraftWriter.text(of: draft).contains(
                """
                        # Roles and what else is peculiar to the provider: docs/providers/keycloak.md
                        # The audience is \(keycloak.audienceHint).
                        - preset: keycloak
                          domain: id.example.com
                          realm: shop
                          audiences: [shop-api]

                """
            )
        )
    }

    @Test func audienceThatAPresetKnowsIsNotAskedFor() throws {
        let supabase = try #require(ProviderKind(rawValue: "supabase"))
        let address = "https://api.example.com/auth/v1"
        #expect(try authentication(supabase, address, audiences: []).policy.issuers[0].audiences == ["authenticated"])
        let auth0 = try #require(ProviderKind(rawValue: "auth0"))
        #expect(auth0.issuer("https://shop.eu.auth0.com/", audiences: []) == nil)
    }

    @Test(arguments: [
        ("supabase", nil, false), ("supabase", "https://api.example.com/auth/v1", false),
        ("firebase", nil, false), ("firebase", "https://securetoken.google.com/shop-4711", false),
        ("firebase", "https://id.example.com", true), ("zitadel", nil, true),
        ("zitadel", "https://a.zitadel.cloud", true), ("auth0", "https://shop.eu.auth0.com/", true),
        ("google", nil, true), ("oidc", "https://id.example.com", true),
    ])
    func audienceIsLackingUnlessProviderKnowsIt(_ provider: String, _ issuer: String?, _ isLacking: Bool) {
        var answers = InitAnswers()
        answers.provider = ProviderKind(rawValue: provider)
        answers.issuer = issuer
        #expect(answers.lacksAudience == isLacking)
        answers.audiences = ["app"]
        #expect(!answers.lacksAudience)
    }

    @Test(arguments: [("1h30m", 5_400_000), ("168h0m0s", 604_800_000), ("0.5s", 500), ("2", 2000), ("500ms", 500)])
    func durationsAreRead(_ text: String, _ milliseconds: Int) {
        #expect(DurationText.milliseconds(text) == milliseconds)
    }

    @Test(arguments: ["", "x", "1x", "-1s", "1e400s", "99999999999999999999h", ".", "1h ", "infs"])
    func otherTextsAreNoDurations(_ text: String) {
        #expect(DurationText.milliseconds(text) == nil)
    }

    @Test(arguments: [
        ("shop.example.com", "shop"), ("*.a.test", "a"), ("www.x.test", "x"), ("127.0.0.1", "127"), ("[::1]", "1"),
    ])
    func tenantsAreNamedAfterTheirHost(_ host: String, _ name: String) {
        #expect(Draft.tenantName(host: host) == name)
    }
}
