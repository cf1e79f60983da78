extension AppSetup {
    static let arcadeText = """
        hosts: [arcade.localtest]
        backend: { servers: ["{backend}"] }
        authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
        dpop: { need: optional, algorithms: [ES256] }
        access: [ { path: /auth/**, allow: anyone } ]
        issuer:
          url: https://arcade.localtest
          base_path: /id
          audience: arcade-api
          algorithm: ES256
          clients:
            - { id: arcade-app, public: true, redirect_uris: ["arcade://back"], scopes: [openid, email], dpop_bound: true }
            - { id: arcade-web, public: true, redirect_uris: ["https://arcade.example/back"], scopes: [openid] }
        sign_in:
          apple:
            path: /auth/apple
            client_ids: [com.example.arcade]
            nonce: optional
            then: issue
            web: { client_id: com.example.arcade.web, team_id: T, key_id: K, private_key_file: "{apple_p8}" }
            \(lines(apple, by: 4))
          endpoints: { refresh: /auth/refresh, logout: /auth/logout, me: /auth/me, validate: /auth/validate }
        refresh: { on_401: true, call: { send: built_in }, deliver: { header: X-Refreshed-Token } }
        """

    static let loungeText = """
        hosts: [lounge.localtest]
        backend: { servers: ["{backend}"] }
        authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
        dpop: { need: required, nonce: true }
        access: [ { path: /auth/**, allow: anyone } ]
        issuer: { url: https://lounge.localtest, audience: lounge-api, algorithm: ES256 }
        sign_in:
          apple:
            path: /auth/apple
            client_ids: [com.example.lounge]
            nonce: optional
            then: issue
            \(lines(apple, by: 4))
          endpoints: { refresh: /auth/refresh, me: /auth/me }
        refresh: { on_401: true, call: { send: built_in }, deliver: { header: X-Refreshed-Token } }
        """
}
