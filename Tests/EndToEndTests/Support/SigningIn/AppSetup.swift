/// The sign-in configuration of the sample apps, with the stand-in for Apple and Google as provider.
enum AppSetup: String, CaseIterable {
    case customer
    case driver
    case finance
    case chat
    case clans
    /// Not a sample app: its issuer has both providers and several clients.
    case games
    /// Not a sample app: its clients may use DPoP.
    case arcade
    /// Not a sample app: its callers must use DPoP with a nonce.
    case lounge

    var host: String { "\(rawValue).localtest" }

    /// Its keys in tenants.yaml.
    private var text: String {
        switch self {
        case .customer: Self.customerText
        case .driver: Self.driverText
        case .finance: Self.financeText
        case .chat: Self.chatText
        case .clans: Self.clansText
        case .games: Self.gamesText
        case .arcade: Self.arcadeText
        case .lounge: Self.loungeText
        }
    }

    /// A gateway with these apps.
    static func fixture(_ apps: [AppSetup], gateway: String = "") -> GatewaySetup {
        let tenants = apps.map { app in
            "\(app.rawValue):\n" + app.text.split(separator: "\n").map { "  \($0)\n" }.joined()
        }
        return GatewaySetup(gateway: gateway, others: tenants.joined(), sealingKeys: GatewaySetup.sampleSealingKey)
    }
}

extension AppSetup {
    static let apple =
        #"issuer: "{apple_issuer}", jwks_url: "{apple_keys}", authorize_url: "{apple_authorize}", "#
        + #"token_url: "{apple_token}""#
    private static let google =
        #"issuer: "{google_issuer}", jwks_url: "{google_keys}", authorize_url: "{google_authorize}", "#
        + #"token_url: "{google_token}", userinfo_url: "{google_userinfo}", tokeninfo_url: "{google_tokeninfo}""#

    private static let customerText = """
        hosts: [customer.localtest]
        realm: umuve
        role: customer
        backend: { servers: ["{backend}"] }
        authenticate:
          from: [bearer]
          issuers:
            - issuer: https://api.umuve.example
              audiences: [umuve-customer]
              algorithms: [HS256]
              secret: "${TEST_SECRET}"
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
            notifications: /api/auth/apple/events
            issuer: "{apple_issuer}"
            jwks_url: "{apple_keys}"
        refresh:
          on_401: true
          within: 24h
          grace: 7d
          call: { method: POST, path: /api/auth/refresh, send: bearer, access_token: /token }
          deliver: { header: X-Refreshed-Token }
        revoke_on: [ "POST /api/auth/logout" ]
        """

    private static let driverText = """
        hosts: [driver.localtest]
        realm: umuve
        role: driver
        backend: { servers: ["{backend}"] }
        authenticate:
          from: [bearer]
          issuers:
            - issuer: https://api.umuve.example
              audiences: [umuve-driver]
              algorithms: [HS256]
              secret: "${TEST_SECRET}"
        access: [ { path: /api/auth/**, allow: anyone }, { path: /**, allow: { roles: [driver] } } ]
        sign_in:
          apple:
            path: /api/auth/apple
            client_ids: [com.goumuve.pro]
            nonce: required
            then: forward
            issuer: "{apple_issuer}"
            jwks_url: "{apple_keys}"
        refresh:
          on_401: true
          within: 24h
          grace: 7d
          call: { method: POST, path: /api/auth/refresh, send: bearer, access_token: /token }
          deliver: { header: X-Refreshed-Token }
        """

    private static let financeText = """
        hosts: [finance.localtest]
        backend: { servers: ["{backend}"] }
        authenticate:
          from: ["cookie:auth-token", bearer]
          issuers: [ { issuer: finance-api, algorithms: [HS256], secret: "${TEST_SECRET}" } ]
        access: [ { path: /auth/login, allow: anyone }, { path: /auth/register, allow: anyone } ]
        csrf: { trusted_origins: ["https://finance.example"] }
        revoke_on: [ "POST /auth/logout" ]
        """

    private static let chatText = """
        hosts: [chat.localtest]
        backend: { servers: ["{backend}"] }
        authenticate: { from: [bearer, "cookie:ce_access_token"], issuers: [ { preset: built-in } ] }
        access: [ { path: /api/auth/**, allow: anyone } ]
        issuer: { url: https://chat.localtest, audience: chat-api, algorithm: ES256, access: 30m, refresh: 30d }
        sign_in:
          google:
            path: /api/auth/mobile/google
            client_ids: [chat-ios.apps.example, chat-web.apps.example]
            then: issue
            \(lines(google, by: 4))
          apple:
            path: /api/auth/mobile/apple
            client_ids: [com.example.chat]
            nonce: optional
            then: issue
            notifications: /api/auth/apple/events
            \(lines(apple, by: 4))
          web:
            login: /api/auth/login
            callback: /api/auth/callback
            provider: google
            client_id: chat-web.apps.example
            client_secret: "${TEST_SECRET}"
            after: "https://chat.example/"
            cookies: { access: ce_access_token, refresh: ce_refresh_token }
          endpoints:
            refresh: /api/auth/refresh
            me: /api/auth/me
            validate: /api/auth/validate
            logout: /api/auth/logout
        accounts: { link_by_email: true }
        refresh:
          on_401: true
          from: "cookie:ce_refresh_token"
          call: { send: built_in }
          deliver: { cookies: { ce_access_token: /access_token, ce_refresh_token: /refresh_token } }
        websocket: { on_expiry: close }
        """

    private static let clansText = """
        hosts: [clans.localtest]
        backend: { servers: ["{backend}"] }
        authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
        issuer:
          url: https://clans.localtest/oidc
          base_path: /api/v1/users
          audience: clanboards-mobile
          algorithm: RS256
          access: 1h
          id: 1h
          refresh: 30d
          clients:
            - id: clanboards-mobile
              public: true
              redirect_uris: ["clanboards://oauthredirect"]
              post_logout_redirect_uris: ["clanboards://signout"]
              scopes: [openid, email, profile]
        sign_in:
          apple:
            path: /api/v1/users/auth/apple/exchange
            client_ids: [com.example.clans]
            nonce: optional
            then: issue
            web: { client_id: com.example.clans.web, team_id: T, key_id: K, private_key_file: "{apple_p8}" }
            \(lines(apple, by: 4))
        refresh: { on_401: true, call: { send: built_in }, deliver: { header: X-Refreshed-Token } }
        """

    private static let gamesText = """
        hosts: [games.localtest]
        backend: { servers: ["{backend}"] }
        authenticate: { from: [bearer, "cookie:games"], issuers: [ { preset: built-in } ] }
        access: [ { path: /auth/**, allow: anyone } ]
        issuer:
          url: https://games.localtest
          base_path: /id
          audience: games-api
          algorithm: ES256
          clients:
            - id: games-app
              public: true
              redirect_uris: ["games://signed-in", "https://play.games.example/back?by=id"]
              scopes: [openid, email]
            - { id: other-app, public: true, redirect_uris: ["other://signed-in"], scopes: [openid] }
            - { id: games-server, secret: "${TEST_SECRET}", redirect_uris: ["https://games.example/back"] }
        sign_in:
          google:
            path: /auth/google
            client_ids: [games.apps.example]
            then: issue
            web: { client_id: games-web.apps.example, client_secret: "${TEST_SECRET}" }
            \(lines(google, by: 4))
          apple:
            path: /auth/apple
            client_ids: [com.example.games]
            nonce: optional
            then: issue
            web: { client_id: com.example.games.web, team_id: T, key_id: K, private_key_file: "{apple_p8}" }
            \(lines(apple, by: 4))
          web:
            login: /auth/login
            callback: /auth/callback
            provider: google
            client_id: games-web.apps.example
            client_secret: "${TEST_SECRET}"
            after: "https://games.example/welcome"
            cookies: { access: games, refresh: games_refresh }
          endpoints: { refresh: /auth/refresh, logout: /auth/logout, me: /auth/me }
        refresh:
          on_401: true
          from: "cookie:games_refresh"
          call: { send: built_in }
          deliver: { cookies: { games: /access_token, games_refresh: /refresh_token } }
        """

    /// Members of a flow mapping as lines of a block mapping.
    static func lines(_ members: String, by width: Int) -> String {
        members.replacing(", ", with: "\n" + String(repeating: " ", count: width))
    }
}
