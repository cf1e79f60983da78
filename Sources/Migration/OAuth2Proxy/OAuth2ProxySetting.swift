/// A setting of oauth2-proxy, under the name that it has in its configuration file.
struct OAuth2ProxySetting: Sendable, Equatable {
    var name: String
    var values: [String]
    var origin: Origin
    var source: Source

    /// Where oauth2-proxy reads it, the stronger the later: what is in one takes the place of what is in those before.
    enum Source: Int, Sendable, Comparable {
        case file, variable, flag
        /// The settings of the structured file are nowhere else.
        case structured

        static func < (one: Source, other: Source) -> Bool { one.rawValue < other.rawValue }
    }

    var value: String { values.last ?? "" }

    var isOn: Bool { ["true", "1", "t"].contains(value.lowercased()) }

    init(_ name: String, _ values: [String], _ origin: Origin, _ source: Source = .structured) {
        self.name = Self.canonical(name)
        self.values = values
        self.origin = origin
        self.source = source
    }

    /// Flags and variables are written with `-`, in capitals or in the singular.
    private static func canonical(_ name: String) -> String {
        let folded = name.lowercased().replacing("-", with: "_")
        return singular[folded] ?? folded
    }

    private static let singular = [
        "upstream": "upstreams", "email_domain": "email_domains", "cookie_domain": "cookie_domains",
        "whitelist_domain": "whitelist_domains", "skip_auth_route": "skip_auth_routes", "api_route": "api_routes",
        "extra_jwt_issuer": "extra_jwt_issuers", "allowed_group": "allowed_groups", "allowed_role": "allowed_roles",
        "trusted_ip": "trusted_ips", "google_group": "google_groups", "keycloak_group": "keycloak_groups",
        "gitlab_project": "gitlab_projects", "github_user": "github_users",
        "oidc_extra_audience": "oidc_extra_audiences",
        "htpasswd_user_group": "htpasswd_user_groups",
        "redis_sentinel_connection_url": "redis_sentinel_connection_urls",
        "redis_cluster_connection_url": "redis_cluster_connection_urls", "tls_cipher_suite": "tls_cipher_suites",
        "provider_ca_file": "provider_ca_files", "oidc_audience_claim": "oidc_audience_claims",
        "trusted_proxy_ip": "trusted_proxy_ips", "entra_id_allowed_tenant": "entra_id_allowed_tenants",
        "scopes": "scope",
    ]
}

extension [OAuth2ProxySetting] {
    /// Those that oauth2-proxy goes by, in their order: of each name only what the strongest source says, and there the
    /// last; but flags of one name add up. An empty variable is none.
    var inForce: [OAuth2ProxySetting] {
        let present = filter { $0.source != .variable || !$0.values.isEmpty }
        var strongest: [String: (source: OAuth2ProxySetting.Source, index: Int)] = [:]
        for (index, setting) in present.enumerated() {
            if let known = strongest[setting.name], known.source > setting.source { continue }
            strongest[setting.name] = (setting.source, index)
        }
        return present.enumerated().filter { index, setting in
            guard let known = strongest[setting.name], known.source == setting.source else { return false }
            return known.index == index || setting.source > .variable
        }.map(\.element)
    }
}
