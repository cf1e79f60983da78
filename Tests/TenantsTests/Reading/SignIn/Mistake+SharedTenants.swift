extension Mistake {
    /// What is wrong between tenants that share an issuer's name, its keys, or accounts.
    static let sharedTenants: [Mistake] = [
        Mistake(
            "twoIssuersOfOneName",
            twoTenants(
                "issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }",
                "issuer: { url: 'https://i.test', audience: a, algorithm: RS256 }",
                issuers: "[{ preset: built-in }]"
            ),
            [
                #"13:20: warning: tenant "shop" has this "url" and this "audience" too (line 8): tokens of one can be good at the other, which does not learn of their revocation; give each a "url" or an "audience" of its own"#
            ]
        ),
        Mistake(
            "twoIssuersOfOneNameForTwoAudiences",
            twoTenants(
                "issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }",
                "issuer: { url: 'https://i.test', audience: b, algorithm: ES256 }",
                issuers: "[{ preset: built-in }]"
            ),
            []
        ),
        Mistake(
            "twoIssuersOfOneKey",
            twoTenants(
                "issuer: { url: 'https://i.test', audience: a, algorithm: ES256, keys_dir: k }",
                "issuer: { url: 'https://j.test', audience: a, algorithm: ES256, keys_dir: k }",
                issuers: "[{ preset: built-in }]"
            ),
            [
                #"8:79: warning: no key in "k": tokens of this issuer are refused until there is one (gatehouse keys generate --algorithm ES256 --out k)"#,
                #"13:79: warning: no key in "k": tokens of this issuer are refused until there is one (gatehouse keys generate --algorithm ES256 --out k)"#,
                #"13:79: warning: tenant "shop" has these keys too (line 8), for an issuer of another "url": whoever has one issuer's key signs for both; give each a directory of its own"#,
            ]
        ),
        Mistake(
            "realmOfTwoApples",
            twoTenants(
                "realm: r\nsign_in: { apple: { path: /a, client_ids: [c], then: forward } }",
                "realm: r\nsign_in: { apple: { path: /a, client_ids: [c], then: forward, issuer: 'https://apple.test' } }"
            ),
            [
                #"15:75: tenant "shop" has this realm too (line 9), with another "issuer" of "apple", and one could sign people in as the other's: write the same in both, or give them realms of their own"#
            ]
        ),
        Mistake(
            "realmOfTwoGoogles",
            twoTenants(
                "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward, issuer: 'https://google.test' } }",
                "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward } }"
            ),
            [
                #"15:16: tenant "shop" has this realm too (line 9), with another "issuer" of "google", and one could sign people in as the other's: write the same in both, or give them realms of their own"#
            ]
        ),
        Mistake(
            "realmsOfTwoGoogles",
            twoTenants(
                "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward, issuer: 'https://google.test' } }",
                "realm: s\nsign_in: { google: { path: /a, client_ids: [c], then: forward } }"
            ),
            []
        ),
        Mistake(
            "realmOfOneGoogleByTwoNames",
            twoTenants(
                "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward, issuer: 'accounts.google.com' } }",
                "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward } }"
            ),
            []
        ),
        Mistake(
            "realmOfTwoGooglesInABrowser",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                auth: "from: [bearer, 'cookie:ca']",
                more: #"""
                    realm: r
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { web: { login: /l, callback: /c, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: cr } } }
                    """#
            )
                + other(
                    "realm: r\nsign_in: { google: { path: /a, client_ids: [c], then: forward, issuer: 'https://g.test' } }"
                ),
            [
                #"17:76: tenant "shop" has this realm too (line 11), with another "issuer" of "google", and one could sign people in as the other's: write the same in both, or give them realms of their own"#
            ]
        ),
    ]

    private static func twoTenants(
        _ first: String,
        _ second: String,
        issuers: String = "[\(Sample.issuer)]"
    ) -> String {
        Sample.tenant(issuers: issuers, more: first) + other(second, issuers: issuers)
    }

    /// The lines of `more` begin with its fifth.
    private static func other(_ more: String, issuers: String = "[\(Sample.issuer)]") -> String {
        let lines = [
            "hosts: [other.test]", "backend: { servers: [http://127.0.0.1:9001] }",
            "authenticate: { issuers: \(issuers) }",
        ]
        return "  other:\n" + (lines + more.split(separator: "\n").map(String.init)).map { "    \($0)\n" }.joined()
    }
}
