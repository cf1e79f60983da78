import Tenants
import Testing

@testable import Migration

struct OAuth2ProxyTests {
    private static let base = """
        provider = "google"
        client_id = "c.apps.example"
        redirect_url = "https://shop.example.com/oauth2/callback"
        upstreams = ["http://127.0.0.1:9001/"]

        """

    private func draft(_ text: String, _ answers: InitAnswers = InitAnswers()) throws -> Draft {
        try OAuth2ProxyTranslation.draft([SourceFile(name: "o.cfg", text: text)], answers)
    }

    private func settings(_ text: String) throws -> [OAuth2ProxySetting] {
        try OAuth2ProxyText.settings(text, file: "o.cfg")
    }

    // MARK: Reading

    @Test func valuesAreRead() throws {
        let found = try settings(
            """
            # comment
            a = "x # y" # z
            b = [ "1", '2\\',
              3 ]   # over lines
            c=true
            """
        )
        #expect(found.map(\.name) == ["a", "b", "c"])
        #expect(found.map(\.values) == [["x # y"], ["1", "2\\", "3"], ["true"]])
        #expect(found.map(\.origin.line) == [2, 3, 5])
    }

    @Test func flagsAndVariablesAreRead() throws {
        let found = try settings(
            """
            --email-domain=example.com \\
            --upstream=http://a:1
            --reverse-proxy
            OAUTH2_PROXY_SKIP_AUTH_ROUTES="GET=^/a$,^/b/"
            export OAUTH2_PROXY_CLIENT_ID=x
            """
        )
        #expect(found.map(\.name) == ["email_domains", "upstreams", "reverse_proxy", "skip_auth_routes", "client_id"])
        #expect(found.map(\.values) == [["example.com"], ["http://a:1"], ["true"], ["GET=^/a$", "^/b/"], ["x"]])
    }

    @Test(arguments: [
        "[table]", "a", "a = ", "a = \"x", "a = [\"x\"", "a = \"x\" y", "a = \"\\q\"", "a = '''x'''", "=",
    ])
    func whatIsNoSettingIsReportedWithItsLine(_ text: String) {
        #expect { try settings("\n" + text) } throws: {
            ($0 as? UntranslatableFile)?.description.hasPrefix("o.cfg:2: ") == true
        }
    }

    // MARK: Restrictions

    @Test(arguments: [
        "email_domains = [\".example.com\"]", "", "email_domains = [\"*\"]\nallowed_groups = [\"staff\"]",
        "email_domains = [\"*\"]\ngithub_org = \"acme\"",
        // Callers with tokens of other issuers are not asked for who they are when they sign in.
        "authenticated_emails_file = \"/etc/emails\"\nskip_jwt_bearer_tokens = true",
        "email_domains = [\"example.com\"]\nskip_jwt_bearer_tokens = true",
        "email_domains = [\"*\", \"example.com\"]",
    ])
    func restrictionWithoutTranslationCloses(_ text: String) throws {
        let draft = try draft(Self.base + text + "\nskip_auth_routes = [\"^/health$\"]")
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/orders") == .closed)
        #expect(tenant.decision("GET", "/health") == .open)
        #expect(draft.notes.contains { $0.kind == .closed })
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test func unknownSettingClosesOpenPathsToo() throws {
        let text = Self.base + "email_domains = [\"*\"]\nsomething_new = true\nskip_auth_routes = [\"^/health$\"]"
        #expect(try draft(text).tenant("shop").decision("GET", "/health") == .closed)
    }

    @Test func everybodyIsNotClosed() throws {
        let tenant = try draft(Self.base + "email_domains = [\"*\"]").tenant("shop")
        #expect(tenant.decision("GET", "/orders") == .anyCaller && tenant.rules.isEmpty)
    }

    @Test func negatedRouteOpensNothing() throws {
        let draft = try draft(Self.base + "email_domains = [\"*\"]\nskip_auth_routes = [\"POST!=^/api/\"]")
        #expect(try draft.tenant("shop").decision("GET", "/") == .anyCaller)
        #expect(draft.told("skip_auth_routes").first?.hasPrefix("o.cfg:6: skip_auth_routes: not translated: ") == true)
    }

    @Test func preflightsAreOpenedOnlyIfTheyWere() throws {
        let text = Self.base + "email_domains = [\"*\"]\nskip_auth_preflight = "
        #expect(try draft(text + "true").tenant("shop").decision("OPTIONS", "/x") == .open)
        #expect(try draft(text + "false").tenant("shop").decision("OPTIONS", "/x") == .anyCaller)
    }

    // MARK: Sign-in

    private static let openID = """
        oidc_issuer_url = "https://id.example.com/realms/shop"
        client_id = "shop"
        redirect_url = "https://shop.example.com/oauth2/callback"
        upstreams = ["http://127.0.0.1:9001/"]

        """

    private func signIn(_ text: String) throws -> DraftSignIn {
        let draft = try draft(text)
        #expect(!draft.notes.contains { $0.kind == .closed }, "\(draft.notes)")
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)\n\(DraftWriter.text(of: draft))")
        return try #require(try draft.tenant("shop").signIn)
    }

    @Test(arguments: [
        ("email_domains = [\"example.com\", \"example.org\"]", ["example.com", "example.org"], nil),
        ("authenticated_emails_file = \"/etc/emails\"", [], "/etc/emails"),
        ("email_domains = \"a.example\"\nauthenticated_emails_file = \"/etc/emails\"", ["a.example"], "/etc/emails"),
        ("email_domains = \"*\"", [], nil),
    ])
    func whoMaySignInIsTranslated(_ text: String, _ domains: [String], _ file: String?) throws {
        let admission =
            text.contains("*")
            ? try draft(Self.base + text).tenant("shop").signIn?.admission
            : try signIn(Self.base + text).admission
        #expect(admission?.domains.map(\.text) == domains)
        #expect(admission?.emailsFile?.text == file)
        #expect(admission?.groups.isEmpty == true)
    }

    @Test(arguments: [
        ("oidc", "oidc", nil), ("keycloak-oidc", "keycloak", "keycloak"), ("adfs", "adfs", nil),
        ("entra-id", "entra", nil),
    ])
    func openIDProviderSignsIn(_ provider: String, _ name: String, _ preset: String?) throws {
        let text = Self.openID + "provider = \"\(provider)\"\nemail_domains = \"*\"\nscope = \"openid email\""
        let found = try signIn(text)
        #expect(found.provider?.name == name && found.provider?.preset?.preset == preset)
        #expect(found.provider?.scopes.map(\.text) == ["openid", "email"])
        #expect(found.leadsNavigations)
        let tenant = try draft(text).tenant("shop")
        #expect(tenant.tokenPlaces.map(\.text) == ["cookie:_oauth2_proxy_access"])
        #expect(tenant.issuers.map(\.preset?.preset) == ["built-in"])
        let told = try draft(text).told("redirect_url")
        #expect(told.count == 1 && told[0].contains("https://shop.example.com/oauth2/return/\(name) "), "\(told)")
    }

    @Test func callbackOfItsOwnIsKept() throws {
        let text = Self.openID.replacing("/oauth2/callback", with: "/auth/back") + "provider = \"oidc\"\n"
        #expect(try signIn(text + "email_domains = \"example.com\"").callback.text == "/auth/back")
    }

    @Test func tokensOfTheProviderAreTakenOnlyIfTheyWere() throws {
        let text = Self.openID + "provider = \"oidc\"\nemail_domains = \"*\"\nskip_jwt_bearer_tokens = true"
        let tenant = try draft(text).tenant("shop")
        #expect(tenant.tokenPlaces.map(\.text) == ["bearer", "cookie:_oauth2_proxy_access"])
        #expect(tenant.issuers.map { $0.issuer?.text } == [nil, "https://id.example.com/realms/shop"])
    }

    @Test func groupsAreAskedForAndCompared() throws {
        let text =
            Self.openID + "provider = \"oidc\"\nemail_domains = [\"example.com\"]\n"
            + "allowed_groups = [\"/staff\", \"/boss\"]\noidc_groups_claim = \"realm_access.roles\""
        let found = try signIn(text)
        #expect(found.admission.groups.map(\.text) == ["/staff", "/boss"])
        #expect(found.admission.groupsClaim?.text == "/realm_access/roles")
        #expect(found.admission.domains.map(\.text) == ["example.com"])
        #expect(found.provider?.scopes.map(\.text) == ["openid", "email", "profile", "groups"])
    }

    @Test func gitHubSignsInUnlessItIsAnEnterprises() throws {
        let text = Self.base.replacing("google", with: "github") + "email_domains = [\"example.com\"]\n"
        #expect(try signIn(text).provider?.preset == PresetEntry(preset: "github"))
        let enterprise = text + "login_url = \"https://git.example.com/login\""
        #expect(throws: UntranslatableFile.self) { try draft(enterprise) }
    }

    @Test(arguments: [
        (
            "cookie_domains = [\".example.com\", \".shop.example.com\"]\ncookie_samesite = \"strict\"",
            "shop.example.com", "strict"
        ),
        ("cookie_domain = \"example.com\"\ncookie_samesite = \"\"", "example.com", nil),
        ("cookie_domains = [\"example.org\", \"hop.example.com\"]", nil, nil),
    ])
    func cookiesAreTranslated(_ text: String, _ domain: String?, _ sameSite: String?) throws {
        let found = try signIn(Self.base + "email_domains = \"example.com\"\n" + text)
        #expect(found.cookieDomain?.text == domain && found.sameSite?.text == sameSite)
    }

    @Test func browsersAreNotLedWhereAllGotJSON() throws {
        #expect(try !signIn(Self.base + "email_domains = \"example.com\"\nforce_json_errors = true").leadsNavigations)
    }

    // MARK: Providers and backends

    @Test func bearerTokensAreTakenOnlyIfTheyWere() throws {
        let text = Self.base + "email_domains = [\"*\"]\n"
        #expect(try draft(text).tenant("shop").tokenPlaces.map(\.text) == ["cookie:_oauth2_proxy_access"])
        let taking = try draft(
            text + "skip_jwt_bearer_tokens = true\nextra_jwt_issuers = [\"https://id.example.com=api\"]"
        )
        #expect(try taking.tenant("shop").tokenPlaces.map(\.text) == ["bearer", "cookie:_oauth2_proxy_access"])
        #expect(try taking.tenant("shop").issuers.count == 2)
    }

    @Test func upstreamsByPathBecomeRoutes() throws {
        let draft = try draft(
            Self.base.replacing(
                "[\"http://127.0.0.1:9001/\"]",
                with: "[\"http://a:1/\", \"http://b:2/api/\", \"file:///w#/s/\"]"
            )
                + "email_domains = [\"*\"]"
        )
        #expect(draft.tenants.map(\.name) == ["shop"])
        let tenant = try draft.tenant("shop")
        #expect(tenant.routes.map(\.path) == ["/api/**"] && tenant.routes.map(\.action) == [.backend("api")])
        #expect(tenant.backends.first?.backend.servers.map(\.url.text) == ["http://b:2"])
        #expect(tenant.decision("GET", "/s/x") == .closed)
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test func fixedAnswersAndReplacedPathsBecomeRoutes() throws {
        let alpha = """
            upstreamConfig:
              upstreams:
              - { id: a, path: /, uri: "http://127.0.0.1:9001" }
              - { id: b, path: "^/v1/(.*)$", rewriteTarget: "/v2/$1", uri: "http://127.0.0.1:9002" }
              - { id: c, path: /ping, static: true, staticCode: 202 }
            """
        let files = [
            SourceFile(name: "o.cfg", text: Self.base.replacing("upstreams", with: "#") + "email_domains = [\"*\"]"),
            SourceFile(name: "alpha.yaml", text: alpha),
        ]
        let draft = try OAuth2ProxyTranslation.draft(files, InitAnswers())
        let routes = try draft.tenant("shop").routes
        #expect(routes.map(\.path) == ["/ping", "/v1/**"])
        #expect(routes.map(\.action) == [.respond(status: 202, body: "Authenticated"), .backend("v1")])
        #expect(routes.last?.rewrite == "/v2/**")
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test(arguments: ["^/a/([0-9]+)$", "^/(.*)/x$"]) func pathsThatNoRouteReplacesAreClosed(_ path: String) throws {
        let alpha = """
            upstreamConfig:
              upstreams:
              - { id: a, path: /, uri: "http://127.0.0.1:9001" }
              - { id: b, path: "\(path)", rewriteTarget: "/v2/$1", uri: "http://127.0.0.1:9002" }
            """
        let files = [
            SourceFile(name: "o.cfg", text: Self.base.replacing("upstreams", with: "#") + "email_domains = [\"*\"]"),
            SourceFile(name: "alpha.yaml", text: alpha),
        ]
        let draft = try OAuth2ProxyTranslation.draft(files, InitAnswers())
        #expect(try draft.tenant("shop").decision("GET", "/") == .closed)
        #expect(draft.notes.contains { $0.kind == .closed && $0.text.contains("\"rewrite\"") })
    }

    @Test func otherProvidersNeedAnIssuer() throws {
        let text = Self.base.replacing("google", with: "bitbucket") + "email_domains = [\"*\"]"
        #expect { try draft(text) } throws: { ($0 as? UntranslatableFile)?.description.contains("--issuer") == true }
        #expect(
            try draft(text, MigrationSample.answers).tenant("shop").issuers.first?.issuer?.text
                == "https://shop.auth0.com/"
        )
    }

    @Test func hostIsNeeded() {
        let text = "upstreams = [\"http://a:1\"]\nemail_domains = [\"*\"]"
        #expect { try draft(text) } throws: { ($0 as? UntranslatableFile)?.description.contains("--host") == true }
    }

    @Test func passwordOfTheStoreIsNotWritten() throws {
        let draft = try draft(
            Self.base
                + "email_domains = [\"*\"]\nsession_store_type = \"redis\"\nredis_connection_url = \"redis://:pw@r:6379\""
        )
        #expect(draft.store?.text == "${GATEHOUSE_STORE}")
        #expect(!DraftWriter.text(of: draft).contains("pw@"))
    }

    @Test func structuredConfigurationIsRead() throws {
        let alpha = """
            upstreamConfig:
              upstreams:
              - { id: a, path: /, uri: "http://127.0.0.1:9001" }
            injectRequestHeaders:
            - { name: X-User, values: [ { claim: user } ] }
            - { name: X-Fixed, values: [ { value: abc } ] }
            providers:
            - provider: oidc
              id: x
              clientID: shop
              clientSecret: very-secret
              oidcConfig: { issuerURL: https://id.example.com }
              allowedGroups: [staff]
            """
        let flat = "redirect_url = \"https://shop.example.com/oauth2/callback\"\nemail_domains = [\"*\"]"
        let files = [SourceFile(name: "o.cfg", text: flat), SourceFile(name: "alpha.yaml", text: alpha)]
        let draft = try OAuth2ProxyTranslation.draft(files, InitAnswers())
        let tenant = try draft.tenant("shop")
        #expect(tenant.issuers.map(\.preset?.preset) == ["built-in"])
        #expect(tenant.signIn?.provider?.issuer?.text == "https://id.example.com")
        #expect(tenant.signIn?.admission.groups.map(\.text) == ["staff"])
        #expect(tenant.identity.map(\.name) == ["X-User"] && tenant.removedFields.map(\.text) == ["X-Fixed"])
        #expect(tenant.decision("GET", "/") == .anyCaller)
        #expect(!draft.notes.contains { $0.kind == .closed }, "\(draft.notes)")
        #expect(!DraftWriter.text(of: draft).contains("very-secret"))
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }
}
