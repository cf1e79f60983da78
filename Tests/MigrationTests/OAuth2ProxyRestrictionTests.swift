import Testing

@testable import Migration

/// What oauth2-proxy asks of callers is asked here too, or nobody is let in.
struct OAuth2ProxyRestrictionTests {
    private static let base = """
        client_id = "shop"
        oidc_issuer_url = "https://id.example.com/realms/shop"
        redirect_url = "https://shop.example.com/oauth2/callback"
        upstreams = ["http://127.0.0.1:9001/"]

        """

    private func draft(_ provider: String, _ text: String) throws -> Draft {
        let file = SourceFile(name: "o.cfg", text: Self.base + "provider = \"\(provider)\"\n" + text)
        return try OAuth2ProxyTranslation.draft([file], InitAnswers())
    }

    // MARK: Empty names

    /// As of a template whose variable was empty.
    @Test(
        arguments: ["google", "oidc", "github"],
        [
            "email_domains = [\"\"]", "email_domains = \"\"", "email_domains = []", "authenticated_emails_file = \"\"",
            "email_domains = [\"\"]\nauthenticated_emails_file = \"\"",
            "email_domains = \"*\"\nallowed_groups = [\"\"]",
            "email_domains = [\"*\"]\nallowed_roles = [\"\"]",
        ]
    )
    func emptyNameLetsNobodyIn(_ provider: String, _ text: String) throws {
        let draft = try draft(provider, text)
        #expect(try draft.tenant("shop").decision("GET", "/") == .closed)
        #expect(draft.notes.count { $0.kind == .closed } == 1, "\(draft.notes)")
        #expect(draft.notes.contains { $0.kind == .closed && $0.origin.line >= 6 }, "\(draft.notes)")
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test(arguments: [
        "email_domains = [\"\"]\nauthenticated_emails_file = \"/etc/emails\"",
        "email_domains = [\"a.example\", \"\"]\nauthenticated_emails_file = \"\"",
        "email_domains = [\"a.example\"]\nallowed_groups = []", "email_domains = \"a.example\"\ngithub_org = \"\"",
    ])
    func emptyNameBesideOthersClosesNothing(_ text: String) throws {
        let draft = try draft("oidc", text)
        #expect(try draft.tenant("shop").decision("GET", "/") == .anyCaller)
        #expect(try draft.tenant("shop").signIn?.admission.asksForEmail == true)
        #expect(!draft.notes.contains { $0.kind == .closed }, "\(draft.notes)")
    }
}
