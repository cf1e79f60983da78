import Testing
import Verification

@testable import Tenants

struct NamedProvidersTests {
    private static func signIn(_ text: String, files: [String: String] = [:]) throws -> SignIn {
        let more = """
            issuer: { url: https://shop.test, audience: a, algorithm: ES256 }
            sign_in:
            \(text.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            """
        let file = Sample.tenant(issuers: "[{ preset: built-in }]", more: more)
        let result = Sample.read(file, files: PretendFiles(files))
        #expect(result.errors.isEmpty, "\(result.errors)")
        return try #require(result.configuration?.tenants.first?.signIn)
    }

    private static func provider(_ keys: String) throws -> NamedProvider {
        try #require(signIn("providers: { company: { client_id: c, \(keys) } }").named.first)
    }

    private static func place(_ text: String) throws -> ClaimPlace { try #require(ClaimPlace(text)) }

    @Test func defaultsOfOpenID() throws {
        let provider = try Self.provider("issuer: 'https://id.test/realms/shop'")
        #expect(
            provider
                == NamedProvider(
                    name: "company",
                    label: "company",
                    service: .openID(
                        OpenIDService(
                            issuer: "https://id.test/realms/shop",
                            metadataURL: "https://id.test/realms/shop/.well-known/openid-configuration",
                            keys: RemoteKeySource(location: .discovery(issuer: "https://id.test/realms/shop"))
                        )
                    ),
                    clientID: "c",
                    scopes: ["openid", "email", "profile"],
                    subject: try Self.place("sub"),
                    email: try Self.place("email"),
                    emailVerified: .claim(try Self.place("email_verified")),
                    fullName: try Self.place("name")
                )
        )
    }

    @Test func everyKeyIsRead() throws {
        let signIn = try Self.signIn(
            """
            providers:
              company:
                issuer: https://id.test
                metadata_url: https://id.test/meta?v=1
                jwks_url: https://id.test/keys
                client_id: c
                client_secret: s
                token_endpoint_auth_method: client_secret_post
                scopes: [openid, groups]
                label: Company login
                subject: oid
                email: /mail
                email_verified: always
                name: /display
                claims: { role: /roles/0, org: org }
                exchange: { path: /auth/company, client_ids: [ios], then: issue }
              code: { preset: github, client_id: d, client_secret: t }
            who: { email_domains: [Example.com], emails_file: people.txt, groups: [staff], groups_claim: /g }
            """,
            files: ["people.txt": "a@b.test\n"]
        )
        let company = try #require(signIn.named("company"))
        #expect(
            company.service
                == .openID(
                    OpenIDService(
                        issuer: "https://id.test",
                        metadataURL: "https://id.test/meta?v=1",
                        keys: RemoteKeySource(location: .keySet(url: "https://id.test/keys"))
                    )
                )
        )
        #expect(company.clientSecret == Secret("s"))
        #expect(company.clientProof == .post)
        #expect(company.scopes == ["openid", "groups"])
        #expect(company.label == "Company login")
        #expect(company.subject == (try Self.place("oid")))
        #expect(company.emailVerified == .always)
        #expect(company.claims.map(\.name) == ["role", "org"])
        #expect(company.exchange?.clientIDs == ["ios"])
        #expect(signIn.providers == [.named("company"), .named("code")], "in the order of the file")
        #expect(
            signIn.who
                == SignInAdmission(
                    emailDomains: ["example.com"],
                    emailsFile: "people.txt",
                    groups: ["staff"],
                    groupsClaim: try Self.place("/g")
                )
        )
    }

    @Test func oauth2TakesNoEmailForVerified() throws {
        let provider = try Self.provider(
            "oauth2: { authorize_url: 'https://a.test/a?x=y', token_url: 'https://a.test/t', userinfo_url: 'https://a.test/u' }"
        )
        #expect(provider.emailVerified == .never)
        #expect(provider.scopes.isEmpty)
        guard case .oauth2(let service) = provider.service else { throw Unexpected() }
        #expect(service.authorizeURL == "https://a.test/a?x=y")
        #expect(service.emailsURL == nil)
    }

    private struct Unexpected: Error {}

    @Test(
        arguments: [
            ("preset: keycloak, domain: id.test, realm: shop", "https://id.test/realms/shop", "Keycloak"),
            (
                "preset: entra, tenant: aaaabbbb-0000-cccc-1111-dddd2222eeee",
                "https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0", "Microsoft"
            ),
            ("preset: okta, domain: shop.okta.com", "https://shop.okta.com/oauth2/default", "Okta"),
            ("preset: okta, issuer: 'https://shop.okta.com'", "https://shop.okta.com", "Okta"),
            ("preset: gitlab, domain: gitlab.com", "https://gitlab.com", "GitLab"),
            ("preset: auth0, domain: shop.eu.auth0.com", "https://shop.eu.auth0.com/", "Auth0"),
        ]
    )
    func presetKnowsIssuer(keys: String, issuer: String, label: String) throws {
        let provider = try Self.provider(keys)
        guard case .openID(let service) = provider.service else { throw Unexpected() }
        #expect(service.issuer == issuer)
        #expect(service.keys.location == .discovery(issuer: issuer))
        #expect(!service.metadataURL.contains("//.well-known"))
        #expect(provider.label == label)
    }

    @Test func presetKnowsWhatIsPeculiar() throws {
        let github = try Self.provider("preset: github")
        guard case .oauth2(let service) = github.service else { throw Unexpected() }
        #expect(service.userInfoURL == "https://api.github.com/user")
        #expect(service.emailsURL == "https://api.github.com/user/emails")
        #expect(github.subject == (try Self.place("id")))
        #expect(github.scopes == ["read:user", "user:email"])
        let entra = try Self.provider("preset: entra, tenant: aaaabbbb-0000-cccc-1111-dddd2222eeee")
        #expect(entra.emailVerified == .claim(try Self.place("xms_edov")))
    }

    @Test func issuerOfSeveralDirectoriesIsFilledInByTheToken() throws {
        let provider = try Self.provider(
            """
            issuer: "https://login.test/{tenantid}/v2.0", metadata_url: 'https://login.test/common/v2.0/m', \
            jwks_url: 'https://login.test/keys'
            """
        )
        guard case .openID(let service) = provider.service else { throw Unexpected() }
        #expect(service.isOfSeveralDirectories)
        let directory = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
        #expect(service.issuer(ofDirectory: directory) == "https://login.test/\(directory)/v2.0")
        #expect(service.isIssuerOfSomeDirectory("https://login.test/\(directory)/v2.0"))
        for other in [
            "https://evil.test/\(directory)/v2.0", "https://login.test/\(directory)/v2.0/", "https://login.test//v2.0",
            "",
        ] {
            #expect(!service.isIssuerOfSomeDirectory(other))
        }
        for text in ["", "common", "../x/../../../../../../../../../../..", directory + "x"] {
            #expect(service.issuer(ofDirectory: text) == nil)
        }
    }

    @Test func webOffersAllProviders() throws {
        let signIn = try Self.signIn(
            """
            google: { path: /g, client_ids: [x], then: issue, web: { client_id: w, client_secret: s } }
            providers: { company: { client_id: c, issuer: 'https://id.test' } }
            web: { login: /login, callback: /back/, after: 'https://a.test/', cookies: { access: ca, refresh: cr } }
            """
        )
        #expect(signIn.web?.provider == nil)
        #expect(signIn.pageProviders == [.google, .named("company")])
        #expect(signIn.web?.callback(of: .named("company")) == "/back/company")
    }

    @Test func emailsOfFileAreRead() throws {
        let emails = try AllowedEmails(Array("\n# all\r\n Anna@B.test \t# one\nb@b.test".utf8))
        #expect(emails.contains("anna@b.TEST"))
        #expect(emails.contains("b@b.test"))
        #expect(!emails.contains("c@b.test"))
        for text in ["anna", "@b.test", "anna@", "a@b.test c@d.test", "ä@b.test"] {
            #expect(throws: AllowedEmailsFault(line: 2)) { try AllowedEmails(Array("a@b.test\n\(text)".utf8)) }
        }
    }
}
