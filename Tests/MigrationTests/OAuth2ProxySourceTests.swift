import Testing

@testable import Migration

/// Which of several settings of one name count: those that do in oauth2-proxy.
struct OAuth2ProxySourceTests {
    private static let base = """
        client_id = "c.apps.example"
        redirect_url = "https://shop.example.com/oauth2/callback"
        upstreams = ["http://127.0.0.1:9001/"]

        """

    private func draft(_ texts: String...) throws -> Draft {
        let files = texts.enumerated().map { SourceFile(name: "\($0.offset).cfg", text: $0.element) }
        return try OAuth2ProxyTranslation.draft(files, InitAnswers())
    }

    @Test(arguments: [
        ("email_domains = [\"a.example\"]", "OAUTH2_PROXY_EMAIL_DOMAINS=b.example", ["b.example"]),
        ("OAUTH2_PROXY_EMAIL_DOMAINS=b.example", "email_domains = [\"a.example\"]", ["b.example"]),
        ("OAUTH2_PROXY_EMAIL_DOMAINS=b.example", "--email-domain=c.example", ["c.example"]),
        (
            "--email-domain=c.example\n--email-domain=d.example", "email_domains = \"a.example\"",
            ["c.example", "d.example"]
        ),
        ("email_domains = [\"a.example\"]", "email_domains = [\"b.example\"]", ["b.example"]),
        ("OAUTH2_PROXY_EMAIL_DOMAINS=a.example", "OAUTH2_PROXY_EMAIL_DOMAINS=b.example", ["b.example"]),
        // An empty variable is not set.
        ("email_domains = [\"a.example\"]", "OAUTH2_PROXY_EMAIL_DOMAINS=", ["a.example"]),
        ("email_domains = [\"a.example\"]", "OAUTH2_PROXY_EMAIL_DOMAINS=\"\"", ["a.example"]),
    ])
    func strongestSourceCounts(_ first: String, _ second: String, _ domains: [String]) throws {
        let draft = try draft(Self.base + first, second)
        #expect(try draft.tenant("shop").signIn?.admission.domains.map(\.text) == domains)
        #expect(!draft.notes.contains { $0.kind == .closed }, "\(draft.notes)")
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test func listOfVariableIsNotUnitedWithTheFiles() throws {
        let text =
            Self.base + "provider = \"oidc\"\noidc_issuer_url = \"https://id.example.com\"\nemail_domains = \"*\"\n"
        let draft = try draft(text + "allowed_groups = [\"everybody\"]", "OAUTH2_PROXY_ALLOWED_GROUPS=staff,boss")
        #expect(try draft.tenant("shop").signIn?.admission.groups.map(\.text) == ["staff", "boss"])
    }

    @Test func whatDoesNotCountIsToldOf() throws {
        let draft = try draft(Self.base + "email_domains = \"a.example\"", "OAUTH2_PROXY_EMAIL_DOMAINS=b.example")
        let text = "0.cfg:4: email_domains: left out: 1.cfg:1 takes its place in oauth2-proxy"
        #expect(draft.told("email_domains") == [text])
        #expect(try self.draft(Self.base + "email_domains = \"*\"", "--email-domain=*").told("email_domains").isEmpty)
    }

    /// Nobody has an address of an empty domain.
    @Test func variableOfCommasAloneIsAnEmptyName() throws {
        let draft = try draft(Self.base + "email_domains = [\"a.example\"]", "OAUTH2_PROXY_EMAIL_DOMAINS=,")
        #expect(try draft.tenant("shop").decision("GET", "/") == .closed)
    }
}
