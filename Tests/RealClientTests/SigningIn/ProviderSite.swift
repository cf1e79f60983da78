import Tenants
import TestSupport
import Verification

/// Where the parts of a ``ProviderFixture`` are.
struct ProviderSite {
    /// A key of clients that only newer versions of the gateway know.
    enum Option: CaseIterable {
        case optionalPKCE, method, key, backChannel, frontChannel
    }

    let port: Int
    let backend: Int
    let app: String
    /// How long access tokens are valid, as the configuration has it.
    let accessTokens: String
    let certificates: CertificateFolder
    /// The file with the key set of the client `key`.
    let keys: String

    var issuer: String { "https://localhost:\(port)/id" }

    /// The options that this gateway's configuration has.
    func knownOptions(secret: String) -> Set<Option> {
        Set(Option.allCases.filter { (try? configuration([$0], secret: secret)) != nil })
    }

    func clients(_ options: Set<Option>, secret: String) -> JSONObject {
        func client(_ id: String, _ method: String, secret: String? = nil) -> JSONValue {
            var object: JSONObject = [
                "id": .string(id), "method": .string(method), "redirect_uri": .string("\(app)/callback"),
                "post_logout_redirect_uri": .string("\(app)/signed-out"),
            ]
            object["secret"] = secret.map(JSONValue.string)
            return .object(object)
        }
        var clients: JSONObject = [
            "basic": client("op-basic", "client_secret_basic", secret: secret),
            "post": client("op-post", "client_secret_post", secret: secret),
            "public": client("op-public", "none"),
        ]
        if options.contains(.key) { clients["key"] = client("op-key", "private_key_jwt") }
        return clients
    }

    func configuration(
        _ options: Set<Option>,
        secret: String
    ) throws -> TenantsConfiguration {
        try TenantsConfiguration.reading(text(options), environment: ["SECRET": secret])
    }

    private func client(_ id: String, _ kind: String, _ more: [String]) -> String {
        let keys = [
            "id: \(id)", kind, "redirect_uris: [\"\(app)/callback\"]",
            "post_logout_redirect_uris: [\"\(app)/signed-out\", \"\(app)/\"]",
            "scopes: [openid, email, profile, address, phone]",
        ]
        return "        - { \((keys + more).joined(separator: ", ")) }"
    }

    private func text(_ options: Set<Option>) -> String {
        func only(_ option: Option, _ text: String) -> [String] { options.contains(option) ? [text] : [] }
        let secret = "secret: \"${SECRET}\""
        let optional = only(.optionalPKCE, "require_pkce: false")
        let told = only(
            .backChannel,
            "backchannel_logout_uri: \"http://127.0.0.1:\(backend)/backchannel_logout\", "
                + "backchannel_logout_session_required: true"
        )
        let framed = only(
            .frontChannel,
            "frontchannel_logout_uri: \"\(app)/frontchannel_logout\", frontchannel_logout_session_required: true"
        )
        let key = "token_endpoint_auth_method: private_key_jwt, jwks_file: \"\(keys)\""
        let method = only(.method, "token_endpoint_auth_method: client_secret_post")
        return """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:\(port)", tls: true } ]
              threads: 1
              store: "memory:"
              shutdown_grace: 1s
              log: { access: false }
            tenants:
              provider:
                hosts: [localhost]
                tls:
                  certificate_file: "\(certificates.file("provider.pem"))"
                  key_file: "\(certificates.file("provider.key"))"
                backend: { servers: ["http://127.0.0.1:\(backend)"] }
                authenticate: { from: [bearer], issuers: [ { preset: built-in } ] }
                issuer:
                  url: "\(issuer)"
                  base_path: /id
                  audience: provider-api
                  algorithm: RS256
                  access: \(accessTokens)
                  page: { name: Provider }
                  clients:
            \(client("op-basic", secret, optional + told))
            \(client("op-post", secret, optional + framed + method))
            \(client("op-public", "public: true", []))
            \(options.contains(.key) ? client("op-key", key, optional) : "")
                sign_in:
                  apple: { path: /auth/apple, client_ids: [com.example.provider], nonce: optional, then: issue,
                           web: { client_id: com.example.provider.web, team_id: T, key_id: K,
                                  private_key_file: "\(certificates.file("apple.p8"))" } }
                accounts: { hook: "http://127.0.0.1:\(backend)/hook" }
            """
    }
}
