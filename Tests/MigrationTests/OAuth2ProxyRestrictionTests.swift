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

    // MARK: Unverified addresses

    private static let sending = "set_xauthrequest = true\n"

    /// oauth2-proxy refuses callers whose address is not verified; the gateway does only where it asks for an address.
    @Test(
        arguments: ["google", "oidc", "keycloak-oidc", "github"],
        [
            "email_domains = \"*\"", "email_domains = \"*\"\ninsecure_oidc_allow_unverified_email = false",
            "email_domains = \"*\"\nskip_jwt_bearer_tokens = true",
        ]
    )
    func addressThatMayBeUnverifiedIsNotSent(_ provider: String, _ text: String) throws {
        let draft = try draft(provider, Self.sending + text)
        let tenant = try draft.tenant("shop")
        #expect(tenant.identity.map(\.name) == ["X-Auth-Request-User"])
        #expect(tenant.removedFields.map(\.text).contains("X-Auth-Request-Email"))
        #expect(tenant.decision("GET", "/") == .anyCaller)
        #expect(
            draft.told("set_xauthrequest").count { $0.contains("not translated: X-Auth-Request-Email is not sent") }
                == 1
        )
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test func addressOfGroupsIsNotSent() throws {
        let tenant = try draft("oidc", Self.sending + "email_domains = \"*\"\nallowed_groups = \"staff\"").tenant(
            "shop"
        )
        #expect(tenant.identity.map(\.name) == ["X-Auth-Request-User"])
    }

    @Test(arguments: [
        "email_domains = \"example.com\"", "authenticated_emails_file = \"/etc/emails\"",
        "email_domains = \"*\"\ninsecure_oidc_allow_unverified_email = true",
    ])
    func addressThatIsVerifiedOrNeedNotBeIsSent(_ text: String) throws {
        let draft = try draft("oidc", Self.sending + text)
        let tenant = try draft.tenant("shop")
        #expect(tenant.identity.map(\.name) == ["X-Auth-Request-User", "X-Auth-Request-Email"])
        #expect(!tenant.removedFields.map(\.text).contains("X-Auth-Request-Email"))
        #expect(draft.told("set_xauthrequest").isEmpty)
    }

    @Test func fieldOfTheStructuredConfigurationIsNotSentEither() throws {
        let alpha = """
            injectRequestHeaders:
            - { name: X-Mail, values: [ { claim: email } ] }
            - { name: X-User, values: [ { claim: user } ] }
            """
        let flat = Self.base + "provider = \"oidc\"\nemail_domains = \"*\""
        let files = [SourceFile(name: "o.cfg", text: flat), SourceFile(name: "alpha.yaml", text: alpha)]
        let draft = try OAuth2ProxyTranslation.draft(files, InitAnswers())
        let tenant = try draft.tenant("shop")
        #expect(tenant.identity.map(\.name) == ["X-User"] && tenant.removedFields.map(\.text) == ["X-Mail"])
        #expect(draft.told("injectRequestHeaders").count == 1)
    }

    // MARK: Roles of Keycloak

    @Test func groupsOfKeycloaksRolesAreToldOf() throws {
        let text = "email_domains = \"*\"\nallowed_groups = [\"/staff\", \"role:admin\", \"role:shop:boss\"]"
        let draft = try draft("keycloak-oidc", text)
        let told = draft.told("allowed_groups")
        #expect(
            told.count == 2 && told[0].contains("role:admin here") && told[1].contains("role:shop:boss here"),
            "\(told)"
        )
        #expect(try self.draft("oidc", text).told("allowed_groups").isEmpty)
    }
}
