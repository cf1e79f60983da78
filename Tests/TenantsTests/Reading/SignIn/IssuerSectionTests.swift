import Testing
import Verification

@testable import Tenants

/// What `issuer` comes out as.
struct IssuerSectionTests {
    private static func tenant(_ more: String, path: String = "t.yaml", warnings: Int = 0) throws -> Tenant {
        let result = Sample.read(Sample.tenant(more: more), path: path)
        #expect(result.errors.isEmpty)
        #expect(result.warnings.count == warnings, "\(result.warnings)")
        return try #require(result.configuration?.tenants.first)
    }

    @Test func everyKeyIsReadWhateverIssuersAreTrusted() throws {
        let tenant = try Self.tenant(
            """
            issuer:
              url: https://i.test/oidc
              base_path: /api/v1
              audience: a
              algorithm: ES256
              access: 30m
              id: 2h
              refresh: 7d
              keys_dir: keys/shop
              page: { name: "Shop & Söhne", color: "#0A7cff" }
              clients:
                - id: app
                  public: true
                  redirect_uris: ["app://back", "com.example.app:/back", "http://127.0.0.1:7777/cb?x=y"]
                  post_logout_redirect_uris: ["app://out"]
                  scopes: [openid, email, "orders:read"]
                - { id: site, secret: 0123456789abcdef, redirect_uris: ['https://site.test/cb', 'http://a.localtest/cb'] }
            sign_in: { google: { path: /g, client_ids: [c], then: forward, web: { client_id: w, client_secret: s } } }
            """,
            path: "/etc/gatehouse/t.yaml"
        )
        #expect(
            tenant.issuer
                == BuiltInIssuer(
                    url: "https://i.test/oidc",
                    audience: "a",
                    algorithm: .es256,
                    access: .seconds(1800),
                    id: .seconds(7200),
                    refresh: .seconds(7 * 86_400),
                    keysDirectory: "/etc/gatehouse/keys/shop",
                    basePath: "/api/v1",
                    clients: [
                        IssuerClient(
                            id: "app",
                            redirectURIs: ["app://back", "com.example.app:/back", "http://127.0.0.1:7777/cb?x=y"],
                            postLogoutRedirectURIs: ["app://out"],
                            scopes: ["openid", "email", "orders:read"]
                        ),
                        IssuerClient(
                            id: "site",
                            secret: Secret("0123456789abcdef"),
                            redirectURIs: ["https://site.test/cb", "http://a.localtest/cb"]
                        ),
                    ],
                    page: SignInPage(name: "Shop & Söhne", color: "#0A7cff")
                )
        )
        #expect(
            tenant.signInPaths.map(\.description).dropFirst()
                == IssuerPath.allCases.map { "/api/v1" + $0.rawValue }[...]
        )
        var dumped = ""
        dump(tenant.issuer, to: &dumped)
        #expect(!dumped.contains("0123456789abcdef"))
    }

    private static func page(_ page: String, _ files: [String: [UInt8]]) throws -> SignInPage {
        var disk = PretendFiles()
        disk.files = files
        let text = Sample.tenant(
            more: "issuer: { url: 'https://i.test', audience: a, algorithm: ES256, page: { \(page) } }"
        )
        let result = Sample.read(text, path: "/etc/t.yaml", files: disk)
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        return try #require(result.configuration?.tenants.first?.issuer).page
    }

    @Test(arguments: [
        ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00], "iVBORw0KGgoA"),
        ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0], "/9j/4A=="),
        ("image/webp", Array("RIFF0000WEBPVP8 ".utf8), "UklGRjAwMDBXRUJQVlA4IA=="),
        ("image/svg+xml", Array("<?xml version='1.0'?><svg/>".utf8), "PD94bWwgdmVyc2lvbj0nMS4wJz8+PHN2Zy8+"),
        ("image/svg+xml", Array("\u{FEFF} <!-- x --><svg/>".utf8), "77u/IDwhLS0geCAtLT48c3ZnLz4="),
    ])
    func logoIsReadByItsContent(_ type: String, _ content: [UInt8], _ base64: String) throws {
        let page = try Self.page("logo: pictures/logo", ["/etc/pictures/logo": content])
        #expect(page.logo?.dataURL == "data:\(type);base64,\(base64)")
    }

    @Test func logoIsBounded() throws {
        let limit = PageLogo.maximumLength
        let head = Array("<svg>".utf8)
        let longest = head + [UInt8](repeating: 0x20, count: limit - head.count)
        #expect(try Self.page("logo: a.svg", ["/etc/a.svg": longest]).logo != nil)
        var disk = PretendFiles()
        disk.files["a.svg"] = longest + [0x20]
        let text = Sample.tenant(
            more: "issuer: { url: 'https://i.test', audience: a, algorithm: ES256, page: { logo: a.svg } }"
        )
        #expect(
            Sample.read(text, files: disk).diagnostics.map(\.message) == [
                "\"logo\" is longer than 32 KiB, \"a.svg\": every page has it in itself, make it smaller"
            ]
        )
    }

    @Test func textsAreReadByLanguageAndPage() throws {
        let yaml = """
            nl: { sign_in: { title: "Inloggen bij {}", cancel: Annuleren }, deletion: { back: Terug } }
            de-CH: { account: { title: Konto, last_used: "Zuletzt {}" }, sign_in: {} }
            """
        let page = try Self.page("texts: texts/pages.yaml", ["/etc/texts/pages.yaml": Array(yaml.utf8)])
        #expect(
            page.texts?.languages == [
                PageTexts.Language(
                    tag: "nl",
                    signIn: [.title: "Inloggen bij {}", .cancel: "Annuleren"],
                    account: [:],
                    deletion: [.back: "Terug"]
                ),
                PageTexts.Language(
                    tag: "de-CH",
                    signIn: [:],
                    account: [.title: "Konto", .lastUsed: "Zuletzt {}"],
                    deletion: [:]
                ),
            ]
        )
    }

    @Test(arguments: [
        (1000, 1, nil), (1001, 1, "\"cancel\" has 1001 bytes: write at most 1000"),
        (1000, 65, "there are more than 64 languages: leave some of them out"),
        (1000, 300, "\"texts\" cannot be read, \"t.yaml\": longer than 262144 bytes"),
    ])
    func textsAreBounded(_ length: Int, _ languages: Int, _ fault: String?) throws {
        let text = String(repeating: "x", count: length)
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        let yaml = (0..<languages).map { index in
            "x\(letters[index / 26])\(letters[index % 26]): { sign_in: { cancel: \(text) } }\n"
        }
        let configuration = Sample.tenant(
            more: "issuer: { url: 'https://i.test', audience: a, algorithm: ES256, page: { texts: t.yaml } }"
        )
        let result = Sample.read(configuration, files: PretendFiles(["t.yaml": yaml.joined()]))
        #expect(result.diagnostics.map(\.message) == [fault].compactMap { $0 })
    }

    /// As many tenants may have it from one template.
    @Test func fileOfManyTenantsIsReadOnce() throws {
        let text = """
            version: 1
            gateway: { listen: [{ address: 127.0.0.1:0 }], store: "memory:" }
            templates:
              all:
                backend: { servers: [http://127.0.0.1:1] }
                authenticate: { issuers: [{ preset: built-in }] }
                issuer: { audience: a, algorithm: ES256, page: { texts: t.yaml } }
            tenants:
              one: { extends: all, hosts: [a.test], issuer: { url: "https://a.test" } }
              two: { extends: all, hosts: [b.test], issuer: { url: "https://b.test" } }
            """
        let files = CountedFiles(PretendFiles(["t.yaml": "de: { sign_in: { cancel: Halt } }"]))
        let result = TenantsFile.read(text: Array(text.utf8), path: "t.yaml", environment: [:], files: files)
        #expect(result.errors.isEmpty, "\(result.errors)")
        let tenants = result.configuration?.tenants ?? []
        #expect(
            tenants.map { $0.issuer?.page.texts?.languages.first?.signIn } == [[.cancel: "Halt"], [.cancel: "Halt"]]
        )
        #expect(files.count == 1)
    }

    @Test func tokensLiveAnHourAndSessionsAMonthByDefault() throws {
        let issuer = try #require(
            try Self.tenant("issuer: { url: 'https://i.test', audience: a, algorithm: RS256, base_path: / }").issuer
        )
        #expect(issuer == BuiltInIssuer(url: "https://i.test", audience: "a", algorithm: .rs256))
        #expect(issuer.access == .seconds(3600) && issuer.id == .seconds(3600))
        #expect(issuer.refresh == .seconds(30 * 86_400))
        #expect(issuer.rotateEvery == .seconds(90 * 86_400))
        #expect(issuer.keysDirectory == nil && issuer.basePath.isEmpty)
    }

    @Test func rotationIntervalIsRead() throws {
        let issuer = try Self.tenant(
            "issuer: { url: 'http://localhost:8080', audience: a, algorithm: RS256, rotate_every: 7d }"
        ).issuer
        #expect(issuer?.rotateEvery == .seconds(7 * 86_400))
    }

    @Test func issuerMayBeBelowTheTenantsPrefix() throws {
        for basePath in ["/shop", "/shop/oidc"] {
            let tenant = try Self.tenant(
                """
                path_prefix: /shop
                issuer: { url: 'https://i.test', audience: a, algorithm: RS256, base_path: \(basePath) }
                """
            )
            #expect(tenant.issuer?.basePath == basePath)
            #expect(tenant.signInPaths.first?.description == basePath + "/.well-known/openid-configuration")
        }
    }

    /// Clients without a redirect to the page need no sign-in provider.
    @Test func clientWithoutRedirectsNeedsNoProvider() throws {
        let tenant = try Self.tenant(
            """
            issuer:
              url: https://i.test
              audience: a
              algorithm: RS256
              clients: [{ id: robot, secret: 0123456789abcdef, redirect_uris: [] }]
            """
        )
        #expect(tenant.issuer?.clients.first?.isPublic == false)
        #expect(tenant.issuer?.clients.first?.scopes == ["openid"])
    }

    @Test func fileWithDefaultsWrittenOutHasNoWarnings() throws {
        // What --print writes for an issuer with keys_dir.
        let tenant = try Self.tenant(
            "issuer: { url: 'https://i.test', audience: a, algorithm: RS256, keys_dir: k, rotate_every: 90d }"
        )
        #expect(tenant.issuer?.keysDirectory == "k")
    }
}
