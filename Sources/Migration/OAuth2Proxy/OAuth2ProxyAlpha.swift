/// Reads oauth2-proxy's structured ("alpha") configuration as the settings of the flat one that mean the same.
enum OAuth2ProxyAlpha {
    /// The setting of an upstream whose path is replaced: its server, the path, and what stands for it.
    static let rewritten = "upstreams.rewritten"

    /// Whether a text is of that form.
    static func isOne(_ text: String) -> Bool {
        let sections = ["providers", "upstreamConfig", "injectRequestHeaders", "injectResponseHeaders", "server"]
        return text.split(separator: "\n").contains { line in
            sections.contains { line.hasPrefix("\($0):") }
        }
    }

    static func settings(_ text: String, file: String) throws(UntranslatableFile) -> [OAuth2ProxySetting] {
        let root = try SourceNode.read(text, file: file)
        var settings: [OAuth2ProxySetting] = []
        for section in root.entries {
            switch section.key {
            case "providers": settings += providers(section.value)
            case "upstreamConfig": settings += upstreams(section.value)
            case "server": settings += server(section.value)
            case "injectRequestHeaders", "injectResponseHeaders":
                settings += headers(section.value, isRequest: section.key == "injectRequestHeaders")
            case "metricsServer", "legacyMode":
                settings.append(OAuth2ProxySetting("metrics_address", [""], section.origin))
            default: settings.append(OAuth2ProxySetting(section.key, [], section.origin))
            }
        }
        return settings
    }

    private static let providerKeys = [
        "provider": "provider", "clientID": "client_id", "clientSecret": "client_secret",
        "clientSecretFile": "client_secret_file", "allowedGroups": "allowed_groups", "scope": "scope",
        "loginURL": "login_url", "redeemURL": "redeem_url", "profileURL": "profile_url", "validateURL": "validate_url",
        "code_challenge_method": "code_challenge_method", "id": "provider_display_name",
        "name": "provider_display_name",
        "loginURLParameters": "prompt", "oidcConfig.issuerURL": "oidc_issuer_url",
        "oidcConfig.jwksURL": "oidc_jwks_url",
        "oidcConfig.extraAudiences": "oidc_extra_audiences", "oidcConfig.audienceClaims": "oidc_audience_claims",
        "oidcConfig.emailClaim": "oidc_email_claim", "oidcConfig.groupsClaim": "oidc_groups_claim",
        "oidcConfig.userIDClaim": "user_id_claim", "oidcConfig.skipDiscovery": "skip_oidc_discovery",
        "oidcConfig.insecureSkipNonce": "insecure_oidc_skip_nonce",
        "oidcConfig.insecureAllowUnverifiedEmail": "insecure_oidc_allow_unverified_email",
        "oidcConfig.insecureSkipIssuerVerification": "insecure_oidc_skip_issuer_verification",
        "googleConfig.group": "google_groups", "keycloakConfig.groups": "keycloak_groups",
        "keycloakConfig.roles": "allowed_roles", "azureConfig.tenant": "azure_tenant", "githubConfig.org": "github_org",
        "githubConfig.team": "github_team", "githubConfig.users": "github_users",
        "backendLogoutURL": "backend_logout_url", "caFiles": "provider_ca_files",
    ]

    private static func providers(_ list: SourceNode) -> [OAuth2ProxySetting] {
        var settings: [OAuth2ProxySetting] = []
        for (index, provider) in list.items.enumerated() {
            for entry in provider.entries {
                guard index == 0 else {
                    settings.append(OAuth2ProxySetting("providers[\(index)].\(entry.key)", [], entry.origin))
                    continue
                }
                if let known = providerKeys[entry.key] {
                    settings.append(OAuth2ProxySetting(known, values(entry.value), entry.origin))
                    continue
                }
                if entry.value.entries.isEmpty {
                    settings.append(OAuth2ProxySetting("providers.\(entry.key)", [], entry.origin))
                }
                for inner in entry.value.entries {
                    let name = "\(entry.key).\(inner.key)"
                    let setting = providerKeys[name] ?? "providers.\(name)"
                    settings.append(OAuth2ProxySetting(setting, values(inner.value), inner.origin))
                }
            }
        }
        return settings
    }

    private static func upstreams(_ section: SourceNode) -> [OAuth2ProxySetting] {
        var settings: [OAuth2ProxySetting] = []
        for entry in section.entries {
            guard entry.key == "upstreams" else {
                settings.append(OAuth2ProxySetting("upstreamConfig.\(entry.key)", values(entry.value), entry.origin))
                continue
            }
            for upstream in entry.value.items {
                let path = upstream["path"]?.text ?? "/"
                if let rewritten = rewritten(upstream) {
                    settings.append(OAuth2ProxySetting(Self.rewritten, rewritten, upstream.origin))
                    continue
                }
                let url = upstream["uri"]?.text.flatMap { SourceURL($0) }
                let code = upstream["static_code"]?.text ?? (upstream["static"]?.isTrue == true ? "200" : "")
                let value = url.map { $0.origin + path } ?? "static://\(code)#\(path)"
                settings.append(OAuth2ProxySetting("upstreams", [value], upstream.origin))
                if let url, !["", "/", path].contains(url.path) {
                    settings.append(OAuth2ProxySetting("upstreams.uri", [], upstream.origin))
                }
                let harmless = [
                    "id", "path", "uri", "flushInterval", "passHostHeader", "proxyWebSockets", "static", "staticCode",
                ]
                for inner in upstream.entries where !harmless.contains(inner.key) {
                    let known = [
                        "timeout": "upstream_timeout", "insecureSkipTLSVerify": "ssl_upstream_insecure_skip_verify",
                    ]
                    let name = known[inner.key] ?? "upstreams.\(inner.key)"
                    settings.append(OAuth2ProxySetting(name, values(inner.value), inner.origin))
                }
            }
        }
        return settings
    }

    /// `path: ^/old/(.*)$` with `rewriteTarget: /new/$1`, and nothing else of interest; nil for all else.
    private static func rewritten(_ upstream: SourceNode) -> [String]? {
        let known = ["id", "path", "uri", "rewriteTarget", "flushInterval", "passHostHeader", "proxyWebSockets"]
        guard let path = upstream["path"]?.text, let target = upstream["rewrite_target"]?.text,
            let url = upstream["uri"]?.text.flatMap({ SourceURL($0) }), ["", "/"].contains(url.path),
            upstream.entries.allSatisfy({ known.contains($0.key) }), path.hasPrefix("^/"), target.hasSuffix("/$1"),
            let end = ["/(.*)$", "/(.*)"].first(where: path.hasSuffix)
        else { return nil }
        let (old, new) = (String(path.dropFirst().dropLast(end.count)), String(target.dropLast(3)))
        guard !old.contains(where: "()[]{}*+?.|^$;\\".contains), PathMatcher.below(old).nearest != nil,
            new.isEmpty || (new.hasPrefix("/") && !new.contains(where: "$*?;".contains))
        else { return nil }
        return [url.origin, old, new]
    }

    private static func server(_ section: SourceNode) -> [OAuth2ProxySetting] {
        let keys = ["bindaddress": "http_address", "securebindaddress": "https_address"]
        var settings: [OAuth2ProxySetting] = []
        for entry in section.entries {
            if let name = keys[entry.key.lowercased()] {
                settings.append(OAuth2ProxySetting(name, values(entry.value), entry.origin))
            } else if entry.key.lowercased() == "tls" {
                for inner in entry.value.entries {
                    let name = ["key": "tls_key_file", "cert": "tls_cert_file"][inner.key.lowercased()]
                    let file = inner.value["from_file"].map(values) ?? []
                    settings.append(OAuth2ProxySetting(name ?? "tls_min_version", file, inner.origin))
                }
            } else {
                settings.append(OAuth2ProxySetting("server.\(entry.key)", [], entry.origin))
            }
        }
        return settings
    }

    /// The fields are named `inject:NAME`, with the claim as value.
    private static func headers(_ list: SourceNode, isRequest: Bool) -> [OAuth2ProxySetting] {
        list.items.map { header in
            let source = header["values"]?.items.first
            let claim = source?["claim"]?.text ?? source?["claim_source"]?["claim"]?.text
            let name = header["name"]?.text ?? ""
            return OAuth2ProxySetting(
                isRequest ? "inject_request_header" : "inject_response_header",
                [name, claim ?? ""],
                header.origin
            )
        }
    }

    private static func values(_ node: SourceNode) -> [String] {
        if let text = node.text { return [text] }
        return node.items.compactMap(\.text)
    }
}
