import Tenants
import Testing
import Verification

/// What `issuer` and `sign_in` come out as.
struct SignInAndIssuerTests {
    private static func tenant(_ more: String, path: String = "t.yaml") throws -> Tenant {
        let result = Sample.read(Sample.tenant(more: more), path: path)
        #expect(result.errors.isEmpty)
        return try #require(result.configuration?.tenants.first)
    }

    @Test func theIssuerIsReadWhoeverIsTrusted() throws {
        let tenant = try Self.tenant(
            """
            issuer: { url: 'https://i.test', audience: a, algorithm: ES256, access: 30m, id: 2h, refresh: 7d, \
            keys_dir: keys/shop }
            """,
            path: "/etc/gatehouse/t.yaml"
        )
        #expect(
            tenant.issuer
                == BuiltInIssuer(
                    url: "https://i.test",
                    audience: "a",
                    algorithm: .es256,
                    access: .seconds(1800),
                    id: .seconds(7200),
                    refresh: .seconds(7 * 86_400),
                    keysDirectory: "/etc/gatehouse/keys/shop"
                )
        )
    }

    @Test func itsTokensLiveAnHourAndItsSessionsAMonth() throws {
        let issuer = try #require(try Self.tenant("issuer: { url: i, audience: a, algorithm: RS256 }").issuer)
        #expect(issuer.access == .seconds(3600))
        #expect(issuer.id == .seconds(3600))
        #expect(issuer.refresh == .seconds(30 * 86_400))
        #expect(issuer.keysDirectory == nil)
    }

    @Test func everyPathOfSignInIsAmongThem() throws {
        let tenant = try Self.tenant(
            """
            sign_in:
              apple: { path: /apple, client_ids: [c], then: issue, notifications: /events }
              google: { path: /google, client_ids: [c], then: issue }
              web:
                { login: /login, callback: /callback, provider: google, client_id: c, after: 'https://a.test/', \
                cookies: { access: a, refresh: r } }
              endpoints: { refresh: /refresh, validate: /me, me: /me, logout: /logout }
            """
        )
        #expect(
            tenant.signInPaths.map(\.description)
                == ["/apple", "/events", "/google", "/login", "/callback", "/refresh", "/me", "/logout"]
        )
        #expect(tenant.signInPaths.contains { $0.matches(Array("/callback".utf8).span) })
    }

    @Test func replayBytesAreRead() throws {
        #expect(try Self.tenant("limits: { replay_bytes: 0KiB }").limits.replayBytes == 0)
        let limits = try Self.tenant("limits: { body_bytes: 1MiB, replay_bytes: 16MiB }").limits
        #expect(limits == RequestLimits(bodyBytes: 1 << 20, replayBytes: 16 << 20))
    }
}
