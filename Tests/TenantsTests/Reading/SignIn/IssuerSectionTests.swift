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
