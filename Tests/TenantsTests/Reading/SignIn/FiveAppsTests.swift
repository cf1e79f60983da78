import Testing
import Verification

@testable import Tenants

/// The five apps that the gateway was made for, written as their owners would.
struct FiveAppsTests {
    private static let environment = [
        "GATEHOUSE_ADMIN_TOKEN": "token", "CUSTOMER_JWT_SECRET": String(repeating: "c", count: 32),
        "FINANCE_JWT_SECRET": String(repeating: "f", count: 32), "GOOGLE_CLIENT_SECRET": "secret",
    ]

    @Test func exampleOfFiveAppsHasNoErrors() throws {
        let result = Sample.read(Self.text, environment: Self.environment)
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.configuration?.tenants.map(\.name) == ["customer", "driver", "finance", "chat", "clans"])
        let warnings = result.warnings.map(\.message)
        #expect(
            warnings == [
                "aud is not checked: a token that this issuer made for another app is good here; list \"audiences\"",
                "\"private_key_file\" is not there, \"apple.p8\": nobody can sign in with Apple in a browser until the "
                    + "gateway is started with it",
            ]
        )
    }

    @Test func twoAppsShareAccounts() throws {
        let tenants = try #require(Sample.read(Self.text, environment: Self.environment).configuration?.tenants)
        #expect(tenants[0].accounts == AccountRules(realm: "umuve", role: "customer"))
        #expect(tenants[1].accounts == AccountRules(realm: "umuve", role: "driver"))
        #expect(tenants[0].crossSite.trustedOrigins == ["https://app.umuve.example"])
        #expect(tenants[2].crossSite.trustedOrigins == ["https://finance.example"])
        #expect(tenants[0].signIn?.apple?.clientIDs == ["com.goumuve.app", "com.goumuve.pro"])
        #expect(tenants[0].signIn?.apple?.then == .forward)
    }

    @Test func twoAppsHaveIssuersWithGeneratedKeys() throws {
        let tenants = try #require(Sample.read(Self.text, environment: Self.environment).configuration?.tenants)
        let (chat, clans) = (tenants[3], tenants[4])
        #expect(chat.authenticate.keySources == [.builtIn(tenant: "chat")])
        #expect(clans.authenticate.keySources == [.builtIn(tenant: "clans")])
        for tenant in [chat, clans] {
            let policy = try #require(tenant.authenticate.policy.issuers.first)
            #expect(policy.keys == nil && policy.requiresAccessTokenType)
        }
        #expect(chat.accounts == AccountRules(linkByEmail: true))
        #expect(chat.signIn?.web?.accessCookie == "ce_access_token")
        #expect(chat.signIn?.endpoints.validate == nil)
        #expect(clans.issuer?.clients.first?.redirectURIs == ["clanboards://oauthredirect"])
        #expect(clans.signIn?.apple?.web?.privateKey == nil)
        // Its exchange path is the one that the issuer has anyway.
        let paths = clans.signInPaths.map(\.description)
        #expect(paths.filter { $0 == "/api/v1/users/auth/apple/exchange" }.count == 1)
        #expect(paths.contains("/api/v1/users/oauth2/token"))
    }

    private static let text = """
        version: 1
        gateway:
          listen:
            - address: 127.0.0.1:8080
          admin: { address: 127.0.0.1:9901, token: "${GATEHOUSE_ADMIN_TOKEN}" }
          store: "embedded:gatehouse.db"
          threads: 0
          trusted_proxies: [127.0.0.1/32]
          shutdown_grace: 30s
          limits: { header_bytes: 32KiB, headers: 100, connections: 10000, idle_timeout: 75s, header_timeout: 10s }
          log: { level: info, format: json, access: true }
          tracing: { otlp: "http://127.0.0.1:4318", sample: 0.1 }

        tenants:
          customer:
            hosts: [customer.localtest]
            realm: umuve
            role: customer
            backend:
              servers: [http://127.0.0.1:9001]
              balance: least_requests
              health: { path: /health, every: 5s, healthy_after: 2, unhealthy_after: 3 }
              timeouts: { connect: 2s, response: 30s, idle: 60s }
              retries: { attempts: 2, on: [connect_failure, reset_before_response], methods: [GET, HEAD, OPTIONS] }
              limits: { connections: 512, pending: 1024 }
            authenticate:
              from: [bearer]
              issuers:
                - issuer: https://api.umuve.example
                  audiences: [umuve-customer]
                  algorithms: [HS256]
                  secret: "${CUSTOMER_JWT_SECRET}"
              leeway: 60s
              require: [sub, exp]
            access:
              - { path: /health, allow: anyone }
              - { path: /api/auth/**, allow: anyone }
              - { path: /api/admin/**, methods: [GET], allow: { roles: [admin] } }
              - { path: /**, allow: { roles: [customer, admin], scopes: [] } }
            identity: { headers: { X-User-Id: sub, X-User-Email: email, X-User-Role: role }, token: keep }
            sign_in:
              apple:
                path: /api/auth/apple
                client_ids: [com.goumuve.app, com.goumuve.pro]
                nonce: required
                legacy_user_identifier: deny
                then: forward
            refresh:
              on_401: true
              within: 24h
              grace: 7d
              call: { method: POST, path: /api/auth/refresh, send: bearer, access_token: /token }
              deliver: { header: X-Refreshed-Token }
            revoke_on: [ "POST /api/auth/logout" ]
            cors: { origins: ["https://app.umuve.example"], credentials: true, max_age: 10m }
            rate_limits: [ { by: ip, rate: 20/s, burst: 40, path: /api/auth/** }, { by: subject, rate: 100/s, burst: 200 } ]

          driver:
            hosts: [driver.localtest]
            realm: umuve
            role: driver
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { from: [bearer], issuers: [ { issuer: https://api.umuve.example, audiences: [umuve-driver], algorithms: [HS256], secret: "${CUSTOMER_JWT_SECRET}" } ] }
            access: [ { path: /api/auth/**, allow: anyone }, { path: /**, allow: { roles: [driver] } } ]
            sign_in: { apple: { path: /api/auth/apple, client_ids: [com.goumuve.pro], nonce: required, then: forward } }
            refresh: { on_401: true, within: 24h, grace: 7d, call: { method: POST, path: /api/auth/refresh, send: bearer, access_token: /token }, deliver: { header: X-Refreshed-Token } }

          finance:
            hosts: [finance.localtest]
            backend: { servers: [http://127.0.0.1:9003] }
            authenticate: { from: ["cookie:auth-token", bearer], issuers: [ { issuer: finance-api, algorithms: [HS256], secret: "${FINANCE_JWT_SECRET}" } ] }
            access: [ { path: /auth/login, allow: anyone }, { path: /auth/register, allow: anyone } ]
            csrf: { trusted_origins: ["https://finance.example"] }
            revoke_on: [ "POST /auth/logout" ]

          chat:
            hosts: [chat.localtest]
            backend: { servers: [http://127.0.0.1:9004] }
            authenticate: { from: [bearer, "cookie:ce_access_token"], issuers: [ { preset: built-in } ] }
            access: [ { path: /api/auth/**, allow: anyone } ]
            issuer: { url: https://chat.localtest, audience: chat-api, algorithm: ES256, access: 30m, refresh: 30d }
            sign_in:
              google: { path: /api/auth/mobile/google, client_ids: [chat-ios.apps.example, chat-web.apps.example], then: issue }
              apple:  { path: /api/auth/mobile/apple, client_ids: [com.example.chat], nonce: optional, then: issue }
              web:    { login: /api/auth/login, callback: /api/auth/callback, provider: google, client_id: chat-web.apps.example, client_secret: "${GOOGLE_CLIENT_SECRET}", after: "https://chat.example/", cookies: { access: ce_access_token, refresh: ce_refresh_token } }
              endpoints: { refresh: /api/auth/refresh, me: /api/auth/me, logout: /api/auth/logout }
            accounts: { link_by_email: true }
            refresh: { on_401: true, from: "cookie:ce_refresh_token", call: { send: built_in }, deliver: { cookies: { ce_access_token: /access_token, ce_refresh_token: /refresh_token } } }
            websocket: { on_expiry: close }

          clans:
            hosts: [clans.localtest]
            backend: { servers: [http://127.0.0.1:9005] }
            authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
            issuer:
              url: https://clans.localtest/oidc
              base_path: /api/v1/users
              audience: clanboards-mobile
              algorithm: RS256
              access: 1h
              id: 1h
              refresh: 30d
              clients: [ { id: clanboards-mobile, public: true, redirect_uris: ["clanboards://oauthredirect"], post_logout_redirect_uris: ["clanboards://signout"], scopes: [openid, email, profile] } ]
            sign_in: { apple: { path: /api/v1/users/auth/apple/exchange, client_ids: [com.example.clans], nonce: optional, then: issue, web: { client_id: com.example.clans.web, team_id: T, key_id: K, private_key_file: apple.p8 } } }
            refresh: { on_401: true, call: { send: built_in }, deliver: { header: X-Refreshed-Token } }

        """
}
