extension Mistake {
    /// What is wrong with the paths of `sign_in` and of the issuer's endpoints.
    static let signInPaths: [Mistake] = [
        Mistake(
            "signInPathRelative",
            Sample.tenant(
                more: #"""
                    sign_in: { google: { path: auth/google, client_ids: [c], then: forward } }
                    """#
            ),
            [
                #"8:32: "path" is no path: a path starts with "/": write "/auth/google""#
            ]
        ),
        Mistake(
            "signInPathPattern",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { endpoints: { me: /auth/*, logout: /auth//logout, refresh: /auth/** } }
                    """#
            ),
            [
                #"9:33: "me" is one path, and "*" stands for many: write it out"#,
                #"9:50: "logout" is no path: "/auth//logout" has an empty segment: write one "/" between segments"#,
                #"9:74: "refresh" is one path, and "*" stands for many: write it out"#,
            ]
        ),
        Mistake(
            "signInPathFromTheEnvironment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { endpoints: { me: "${CANARY}", logout: "/${CANARY}*" } }
                    """#
            ),
            [
                #"9:33: "me" is no path: it begins with "/" and has whole segments only"#,
                #"9:54: "logout" is one path, and "*" stands for many: write it out"#,
            ]
        ),
        Mistake(
            "signInPathOfTheHouse",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      apple: { path: /.gatehouse/apple, client_ids: [c], then: forward, notifications: /.Gatehouse }
                      endpoints: { me: /.gatehouse-me }
                    """#
            ),
            [
                #"10:22: "path" is below "/.gatehouse", which is the gateway's own: choose another path"#,
                #"10:88: "notifications" is below "/.gatehouse", which is the gateway's own: choose another path"#,
            ]
        ),
        Mistake(
            "signInPathsTwice",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      apple: { path: /apple, client_ids: [c], then: forward, notifications: /apple }
                      google: { path: /Apple/, client_ids: [c], then: forward }
                      endpoints: { refresh: /me, validate: /me, me: /you/, logout: /you }
                    """#
            ),
            [
                #"10:77: "notifications" is the same path as "path" in line 10: give each a path of its own"#,
                #"11:23: "path" is the same path as "path" in line 10: give each a path of its own"#,
                #"12:44: "validate" is the same path as "refresh" in line 12: give each a path of its own"#,
                #"12:68: "logout" is the same path as "me" in line 12: give each a path of its own"#,
            ]
        ),
        Mistake(
            "signInPathsOfTheIssuer",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, base_path: /oidc }
                    sign_in:
                      apple: { path: /oidc/auth/apple/exchange, client_ids: [c], then: issue, notifications: /oidc/userinfo }
                      google: { path: /oidc/OAuth2/token/, client_ids: [c], then: issue }
                      endpoints: { refresh: /oidc/oauth2/revoke, me: /userinfo, logout: /oidc/oauth2/logout }
                    """#
            ),
            [
                #"10:94: "notifications" is where the tenant's own issuer answers: choose another path, or another "base_path" there"#,
                #"11:23: "path" is where the tenant's own issuer answers: choose another path, or another "base_path" there"#,
                #"12:29: "refresh" is where the tenant's own issuer answers: choose another path, or another "base_path" there"#,
                #"12:73: "logout" is where the tenant's own issuer answers: choose another path, or another "base_path" there"#,
            ]
        ),
        Mistake(
            "googleIsNotTheApplesExchange",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { google: { path: /auth/apple/exchange, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"9:32: "path" is where the tenant's own issuer answers: choose another path, or another "base_path" there"#
            ]
        ),
        Mistake(
            "signInPathOutOfReach",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    path_prefix: /shop
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, base_path: /shop }
                    sign_in:
                      apple: { path: /shop/apple, client_ids: [c], then: issue, notifications: /shopping }
                      endpoints: { me: /me, logout: /shop }
                    """#
            ),
            [
                #"11:80: "notifications" is not below "path_prefix", so that no request reaches it: begin it with that"#,
                #"12:24: "me" is not below "path_prefix", so that no request reaches it: begin it with that"#,
            ]
        ),
        Mistake(
            "issuerOutOfReach",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    path_prefix: /shop
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"9:5: no request reaches the issuer's endpoints, which are not below "path_prefix": begin "base_path" with that"#
            ]
        ),
        Mistake(
            "basePathOutOfReach",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    path_prefix: /shop
                    issuer: { base_path: /shopping, url: 'https://i.test', audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"9:26: no request reaches the issuer's endpoints, which are not below "path_prefix": begin "base_path" with that"#
            ]
        ),
        Mistake(
            "basePathOfTheHouse",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { base_path: /.gatehouse/oidc, url: 'https://i.test', audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:26: "base_path" is below "/.gatehouse", which is the gateway's own: choose another path"#
            ]
        ),
        Mistake(
            "basePathIsNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { base_path: oidc/, url: 'https://i.test', audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:26: "base_path" must be like /shop, but is "oidc/": begin it with "/""#
            ]
        ),
    ]
}
