import Tenants
import Testing

/// No secret is in anything that reading a file says.
struct SecrecyTests {
    static let canary = "canary-5d1c"

    /// Every way that a secret can be wrong, given literally, by a variable and by a file.
    @Test(arguments: [
        #"secret: "\#(canary)""#, #"secret: [\#(canary)]"#, #"secret: { \#(canary): \#(canary) }"#,
        #"secret: "${CANARY}""#, #"secret: "${CANARY} ${NONE}""#, #"secret: "${NONE:-\#(canary)}""#,
        "secret_file: canary.secret", "public_key_file: canary.secret", "jwks_file: canary.secret",
        #"secret_file: "${CANARY}""#, #"jwks_url: "http://u:\#(canary)@id.test""#, #"jwks_url: "${CANARY}""#,
        #"jwks_url: "https://id.test/?key=\#(canary)#a""#, #"jwks_url: "https://id.test/?key=\#(canary)""#,
        #"secret: example-only-\#(canary)"#, #"preset: "${CANARY}""#, #"discovery: "${CANARY}""#,
        #"claims: { roles: "a.${CANARY}", email: "/~${CANARY}", subject: ["${CANARY}"] }"#,
        #"require_values: { "/~": "${CANARY}" }"#, #"realm: "${CANARY}""#, #"preset: entra, tenant: "${CANARY}""#,
        #"preset: okta, domain: "${CANARY}/""#, #"preset: cognito, pool: "${CANARY}", realm: "${CANARY}""#,
    ])
    func noDiagnosticOfAnIssuerShowsASecret(source: String) {
        for algorithm in ["HS256", "HS512", "RS256", "${CANARY}"] {
            let issuer = "[{ issuer: i, audiences: [a], algorithms: [\"\(algorithm)\"], \(source) }]"
            expectSilence(Sample.tenant(issuers: issuer))
        }
    }

    @Test(arguments: [
        #"admin: { address: "${CANARY}", token: "${CANARY}" }"#, #"admin: { address: "0.0.0.0:1", tokn: "${CANARY}" }"#,
        #"store: "redis://u:\#(canary)@h:1/0""#, #"store: "sql://u:\#(canary)@h""#, #"threads: "${CANARY}""#,
        #"listen: [{ address: "${CANARY}" }]"#, #"trusted_proxies: ["${CANARY}"]"#, #"log: { level: "${CANARY}" }"#,
        #"shutdown_grace: "${CANARY}""#, #"limits: { header_bytes: "${CANARY}" }"#, #"log: { access: "${CANARY}" }"#,
        #"store: "redis://u:p?\#(canary)@h""#, #"store: "redis://u:p/\#(canary)@h""#, #"store: "redis://\#(canary)@h""#,
        #"store: "rediss://h?sentinel_password=\#(canary)""#, #"store: "rediss://h?ca_file=${CANARY}""#,
        #"store: "redis+sentinel://h/m?sentinel_password=\#(canary)""#, #"store: "embedded:${CANARY}/g.db""#,
        #"store: "redis://u:p%\#(canary)@h""#, #"store: "redis://u:p@h/\#(canary)""#,
        #"store: "rediss://h?${CANARY}=a""#,
        #"store: "rediss://h?server_name=${CANARY}:1""#, #"state_dir: "${CANARY}/none/state""#,
        #"tracing: { otlp: "http://u:\#(canary)@h", sample: "${CANARY}" }"#,
    ])
    func noDiagnosticOfTheGatewayShowsASecret(section: String) {
        expectSilence(Sample.gateway(section))
    }

    @Test(arguments: [
        #"path_prefix: "${CANARY}""#, #"mode: "${CANARY}""#, #"access: [{ path: "${CANARY}", allow: anyone }]"#,
        #"access: [{ path: /a, methods: ["a ${CANARY}"], allow: "${CANARY}" }]"#,
        #"headers: { request: { set: { X-Key: [\#(canary)] } } }"#,
        #"tls: { certificate_file: "${CANARY}", key_file: "${CANARY}", client_ca_file: "${CANARY}" }"#,
        #"tls: { certificate_file: canary.secret, key_file: canary.secret, client_ca_file: canary.secret }"#,
        #"websocket: { on_expiry: "${CANARY}" }"#, #"revoke_on: ["${CANARY}", "POST ${CANARY}", "${CANARY} /a"]"#,
        #"on_store_failure: "${CANARY}""#, #"max_staleness: "${CANARY}""#,
        #"introspection: { url: "http://u:\#(canary)@h", client_id: c, client_secret: [\#(canary)] }"#,
    ])
    func noDiagnosticOfATenantShowsASecret(section: String) {
        expectSilence(Sample.tenant(more: section))
    }

    @Test(arguments: [
        #"call: { send: oauth2, path: /r, client_id: "${CANARY}\u00e9", client_secret: "${CANARY}\u00e9" }"#,
        #"call: { send: oauth2, path: /r, client_id: c, client_secret: "\#(canary)" }"#,
        #"call: { send: oauth2, path: /r, client_id: c, client_secret: [\#(canary)] }"#,
        #"call: { send: "${CANARY}", path: /r, client_secret: "${CANARY}" }"#,
        #"call: { send: oauth2, path: "https://u:\#(canary)@id.test", method: "${CANARY}", client_id: c }"#,
        #"call: { send: oauth2, path: "https://id.test/?key=\#(canary)", client_id: c }"#,
        #"call: { send: oauth2, path: "/token?key=\#(canary)", client_id: c }"#,
        #"call: { send: oauth2, path: "${CANARY}", client_id: c, access_token: "${CANARY}" }"#,
    ])
    func noDiagnosticOfARefreshShowsASecret(call: String) {
        for rest in [
            "deliver: { header: X-T, cookies: { r: /refresh_token } }, from: cookie:r",
            #"deliver: { header: "${CANARY} a", cookies: { r: "${CANARY}" } }, from: "${CANARY}""#,
            #"deliver: { header: X-T }, from: vault, vault: { capture: [{ path: "${CANARY}", access_token: "${CANARY}" }] }"#,
        ] {
            expectSilence(Sample.tenant(more: "refresh: { \(call), \(rest) }"))
        }
    }

    @Test(arguments: [
        #"apple: { path: "${CANARY}", client_ids: ["${CANARY}"], then: "${CANARY}", issuer: "${CANARY}" }"#,
        #"apple: { path: "/${CANARY}", client_ids: [c], then: issue, notifications: "/${CANARY}" }"#,
        #"apple: { path: /a, client_ids: [c], then: forward, jwks_url: "${CANARY}", token_url: "http://\#(canary)@h" }"#,
        #"apple: { path: /a, client_ids: [c], then: none, web: { client_id: w, team_id: T, key_id: K, private_key_file: "${CANARY}" } }"#,
        #"apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key_file: canary.secret } }"#,
        #"apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key: "${CANARY}" } }"#,
        #"apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key: [\#(canary)] } }"#,
        #"google: { path: /a, client_ids: [c], then: issue, web: { client_id: "${CANARY}é", client_secret: "\#(canary)é" } }"#,
        #"google: { path: /a, client_ids: [c], then: issue, web: { client_id: c, client_secret: example-only-\#(canary) } }"#,
        #"endpoints: { me: "/${CANARY}", logout: "/${CANARY}", refresh: "/.gatehouse/${CANARY}" }"#,
        #"web: { login: "${CANARY}", callback: "*${CANARY}", provider: "${CANARY}", client_id: "${CANARY}", client_secret: [\#(canary)], after: "${CANARY}", cookies: { access: "${CANARY} a", refresh: "${CANARY} a" } }"#,
        #"web: { login: /l, callback: /c, provider: google, client_id: c, client_secret: "\#(canary)é", after: "https://u:\#(canary)@h", cookies: { access: "${CANARY}", refresh: "${CANARY}" } }"#,
    ])
    func noDiagnosticOfASignInShowsASecret(section: String) {
        let issuer = "issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }"
        expectSilence(Sample.tenant(issuers: "[{ preset: built-in }]", more: "\(issuer)\nsign_in: { \(section) }"))
        expectSilence(Sample.tenant(more: "path_prefix: /p\nsign_in: { \(section) }"))
    }

    @Test(arguments: [
        #"issuer: { url: "${CANARY}", audience: "${CANARY}", algorithm: "${CANARY}", base_path: "${CANARY}" }"#,
        #"issuer: { url: "https://u:\#(canary)@h", audience: a, algorithm: RS256, base_path: "/.gatehouse/${CANARY}" }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: RS256, page: { name: "${CANARY}\n", color: "${CANARY}" } }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: RS256, clients: [{ id: "${CANARY}", secret: "\#(canary)", redirect_uris: ["${CANARY}", "${CANARY}", "https://u:\#(canary)@h"], scopes: ["${CANARY} a"] }, { id: "${CANARY}", public: true, secret: example-only-\#(canary), redirect_uris: [] }] }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: ES256, key: "${CANARY}", key_file: "${CANARY}" }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: ES256, key: "\#(canary)" }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: ES256, key: [\#(canary)] }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: RS256, key: '{"kty":"EC","kid":"\#(canary)"}' }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: ES256, key_file: canary.secret }"#,
        #"issuer: { url: "https://h", audience: a, algorithm: ES256, key_files: ["${CANARY}", canary.secret] }"#,
        #"realm: "${CANARY}\n""#, #"role: "${CANARY}\u202e""#, #"accounts: { hook: "http://u:\#(canary)@h" }"#,
        #"csrf: { trusted_origins: ["${CANARY}", "https://u:\#(canary)@h"] }\#nmode: none"#,
        #"cors: { origins: ["${CANARY}"], credentials: true }\#nmode: none"#,
    ])
    func noDiagnosticOfAnIssuersSectionShowsASecret(section: String) {
        expectSilence(Sample.tenant(issuers: "[{ preset: built-in }]", more: section))
        expectSilence(Sample.tenant(more: section))
    }

    @Test func rotationErrorShowsNoEnvironmentValue() {
        let call = #"{ send: refresh_token_json, path: /r, refresh_token: "/${CANARY}" }"#
        for deliver in ["header: X-T", "header: X-T, cookies: { r: /token }"] {
            expectSilence(Sample.tenant(more: "refresh: { call: \(call), deliver: { \(deliver) }, from: cookie:r }"))
        }
    }

    @Test func noHostOrServerFromTheEnvironmentIsShown() {
        expectSilence(Sample.tenant(hosts: #"["${CANARY}:1", "https://u:\#(Self.canary)@h"]"#))
        expectSilence(
            Sample.tenant(backend: #"{ servers: ["http://u:\#(Self.canary)@h", "${CANARY}"], balance: "${CANARY}" }"#)
        )
        expectSilence(Sample.tenant(backend: #"{ servers: ["http://${CANARY}", "https://${CANARY}:80"] }"#))
        for section in [
            #"tls: { ca_file: "${CANARY}", certificate_file: "${CANARY}", key_file: canary.secret }"#,
            #"tls: { server_name: "${CANARY}:1" }, health: { path: "${CANARY}" }"#,
            #"retries: { methods: ["${CANARY}", "a ${CANARY}"], on: ["${CANARY}"] }"#,
        ] {
            expectSilence(Sample.tenant(backend: "{ servers: [https://a.test], \(section) }"))
        }
        expectSilence(Sample.gateway(#"listen: [{ address: "${CANARY}:1" }, { address: "${CANARY}:1" }]"#))
        expectSilence(Sample.gateway(#"admin: { address: "${CANARY}:1" }"#))
        expectSilence(Sample.tenant(auth: #"from: ["${CANARY}", "cookie:a ${CANARY}"]"#))
    }

    private func expectSilence(_ text: String, at location: SourceLocation = #_sourceLocation) {
        let result = Sample.read(
            text,
            environment: ["CANARY": Self.canary],
            files: PretendFiles(["canary.secret": Self.canary])
        )
        for diagnostic in result.diagnostics {
            #expect(!diagnostic.description.contains(Self.canary), "\(diagnostic)", sourceLocation: location)
        }
        var dumped = ""
        dump(result.configuration, to: &dumped)
        #expect(!dumped.contains("token: \"\(Self.canary)"), sourceLocation: location)
        if let printed = result.effective?.print() {
            #expect(!printed.contains(Self.canary), sourceLocation: location)
        }
    }
}
