/// What becomes of the settings of oauth2-proxy that have no counterpart of their own.
enum OAuth2ProxyKnown {
    /// Read by the translation.
    static let translated: Set<String> = [
        "http_address", "https_address", "tls_cert_file", "tls_key_file", "reverse_proxy", "trusted_proxy_ips",
        "upstreams", OAuth2ProxyAlpha.rewritten, "upstream_timeout", "provider", "client_id", "client_secret",
        "client_secret_file", "redirect_url",
        "proxy_prefix", "email_domains", "cookie_name", "cookie_expire", "cookie_refresh", "session_store_type",
        "redis_connection_url", "skip_auth_routes", "skip_auth_regex", "skip_auth_preflight", "skip_jwt_bearer_tokens",
        "extra_jwt_issuers", "oidc_issuer_url", "oidc_jwks_url", "oidc_extra_audiences", "set_xauthrequest",
        "pass_user_headers", "pass_access_token", "pass_authorization_header", "set_authorization_header",
    ]

    /// Who may in is fewer with them: without a translation nobody may.
    static let restrictions = [
        "authenticated_emails_file": accounts, "allowed_groups": roles, "allowed_roles": roles, "google_groups": roles,
        "google_group": roles, "github_org": roles, "github_team": roles, "github_users": accounts,
        "github_repo": roles,
        "gitlab_groups": roles, "gitlab_group": roles, "gitlab_projects": roles, "keycloak_groups": roles,
        "bitbucket_team": roles, "bitbucket_repository": roles, "azure_tenant": issuer,
        "entra_id_allowed_tenants": issuer,
        "allowed_emails": accounts,
        "oidc_audience_claims": "name the claim in the issuer's \"claims\": { audience: ... }, then open it",
        "user_id_claim": "name the claim in the issuer's \"claims\": { subject: ... }, then open it",
        "oidc_email_claim": "name the claim in the issuer's \"claims\": { email: ... }, then open it",
        "oidc_groups_claim": roles,
    ]

    /// Restrictions that hold as soon as they list something, also if it is an empty name.
    static let lists: Set<String> = ["allowed_groups", "allowed_roles"]
    static let emptyName =
        "its only name is empty, which nobody has in oauth2-proxy; if all may in, take the closed rule out"

    private static let accounts =
        "see \"who\" of sign_in for those who sign in, or give those callers a role, and name it in \"access\""
    private static let roles =
        "name their claim in the issuer's \"claims\": { roles: ... }, and the groups in \"access\": allow: { roles: [...] }"
    private static let issuer = "give the tenant's own issuer, which has its ID in it, in issuers[].issuer"

    /// Nobody gets in by leaving them out.
    static let unneeded = [
        "cookie_secret": "not needed: the cookies are signed tokens",
        "cookie_secret_file": "not needed: the cookies are signed tokens",
        "cookie_secure": "always so", "cookie_httponly": "always so",
        "cookie_samesite": "Lax, unless \"same_site\" of the cookies says otherwise",
        "cookie_path": "always /", "cookie_csrf_per_request": "not needed", "cookie_csrf_expire": "not needed",
        "cookie_csrf_per_request_limit": "not needed", "cookie_domains": "none here: the host is in none of them",
        "scope": "not needed: openid, email and profile are asked for",
        "whitelist_domains": "not needed: a sign-in leads back to its own origin only",
        "skip_provider_button": "not needed: the sign-in path goes to the provider at once",
        "api_routes": "not needed: only browsers that open a page are led to the sign-in",
        "force_json_errors": "always so", "code_challenge_method": "not needed: always S256",
        "approval_prompt": "not needed", "prompt": "not needed", "login_url": "not needed", "redeem_url": "not needed",
        "profile_url": "not needed", "validate_url": "not needed", "resource": "not needed",
        "oidc_scope": "not needed", "skip_oidc_discovery": "see oidc_jwks_url",
        "insecure_oidc_skip_issuer_verification": "never: the issuer is always checked",
        "insecure_oidc_allow_unverified_email":
            "not needed: an unverified address lets nobody in where \"who\" asks for one, and is in identity.headers elsewhere",
        "insecure_oidc_skip_nonce": "never: the nonce is always checked",
        "ssl_insecure_skip_verify": "never: certificates are always verified",
        "ssl_upstream_insecure_skip_verify": "never: name the authority in backend.tls.ca_file",
        "use_system_trust_store": "always so", "pass_host_header": "always so",
        "proxy_websockets": "always so", "flush_interval": "not needed: responses are streamed",
        "real_client_ip_header": "X-Forwarded-For of trusted_proxies, or the PROXY protocol",
        "standard_logging": log, "standard_logging_format": log, "request_logging": log, "request_logging_format": log,
        "auth_logging": log, "auth_logging_format": log, "logging_filename": log, "logging_max_size": log,
        "logging_max_age": log, "logging_max_backups": log, "logging_local_time": log, "logging_compress": log,
        "exclude_logging_path": log, "exclude_logging_paths": log, "silence_ping_logging": log,
        "show_debug_on_error": log,
        "request_id_header": "always X-Request-Id", "errors_to_info_log": log,
        "ping_path": admin, "ping_user_agent": admin, "ready_path": admin, "metrics_address": admin,
        "metrics_secure_address": admin, "metrics_tls_cert_file": admin, "metrics_tls_key_file": admin,
        "provider_display_name": page, "custom_templates_dir": page, "custom_sign_in_logo": page, "banner": page,
        "footer": page, "display_htpasswd_form": page, "session_cookie_minimal": "not needed: the cookies are small",
        "encode_state": "not needed", "gcp_healthchecks": admin, "force_https": "listen with TLS only",
        "tls_min_version": "1.2 and 1.3 are accepted",
        "tls_cipher_suites": "those of TLS 1.2 with forward secrecy, and of 1.3",
        "version": "not needed", "config": "not needed",
        "alpha_config": "give that file as well, by a second --from-oauth2-proxy",
        "redirect_http_to_https": "listen with TLS only", "htpasswd_user_groups": "see htpasswd_file",
        "backend_logout_url": "not called: users stay signed in at the provider",
        "pass_basic_auth": "X-Forwarded-User and the like are not sent", "basic_auth_password": "not needed",
        "set_basic_auth": "no basic authentication is sent",
        "prefer_email_to_user": "name the claims in identity.headers",
        "relative_redirect_url": "not needed", "allow_query_semicolons": "not needed",
        "disable_keep_alives": "not needed", "acr_values": "not asked for; check the claim in the app",
    ]

    private static let log = "see gateway.log"
    private static let admin = "see gateway.admin: /healthz, /readyz and /metrics"
    private static let page = "no page is shown before the provider's"

    /// Opens something: without them it stays closed.
    static let opening = [
        "htpasswd_file": "passwords are not checked here: those users have no way in",
        "trusted_ips":
            "addresses are not let in without a token here; write an \"access\" rule for the paths they need",
        "skip_auth_strip_headers": "headers of callers without a token are always stripped",
        "gcp_health_checks": admin,
    ]
}
