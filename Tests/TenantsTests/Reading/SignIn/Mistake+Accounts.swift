extension Mistake {
    /// What is wrong with `realm`, `role`, `accounts` and trusted origins.
    static let accounts: [Mistake] = [
        Mistake(
            "hookWithoutIssuer",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward } }
                    accounts: { hook: 'https://a.test/hook' }
                    """#
            ),
            [
                #"9:17: the tenant's own issuer signs what the hook is asked, and there is none: add an "issuer" section, or leave "hook" out"#
            ]
        ),
        Mistake(
            "hookIsNotAsked",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward } }
                    accounts: { hook: 'https://a.test/hook' }
                    """#
            ),
            [
                #"10:17: warning: nobody asks the hook, no account is made here: sign in by "then: issue" or "web", or leave it out"#
            ]
        ),
        Mistake(
            "hookIsNoAddress",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { google: { path: /g, client_ids: [c], then: issue } }
                    accounts: { hook: 'http://a.test/?key=canary' }
                    """#
            ),
            [
                #"10:23: "hook" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "realmIsBlank",
            Sample.tenant(
                more: #"""
                    realm: ' '
                    role: "a\nb"
                    """#
            ),
            [
                #"8:12: "realm" must be visible text on one line: leave control characters out"#,
                #"9:11: "role" must be visible text on one line: leave control characters out"#,
            ]
        ),
        Mistake(
            "realmIsEmpty",
            Sample.tenant(
                more: #"""
                    realm: ''
                    role: "${EMPTY}"
                    """#
            ),
            [
                #"8:12: "realm" must be text, but is "": it is empty; leave the key out or fill it in"#,
                #"9:11: "role" must be text, but is the value of EMPTY: it is empty; leave the key out or fill it in"#,
            ]
        ),
        Mistake(
            "realmThatDiffers",
            Sample.tenant(
                more: #"""
                    realm: r
                    accounts: { link_by_email: true }
                    """#
            ) + #"""
                  other:
                    hosts: [other.test]
                    realm: r
                    accounts: { link_by_email: false }
                    backend: { servers: [http://127.0.0.1:9001] }
                    authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }] }

                """#,
            [
                #"13:32: warning: tenant "shop" has this realm too (line 8), with another "link_by_email", so that accounts depend on where somebody signs in first: write the same in both"#
            ]
        ),
        Mistake(
            "realmThatDiffersByDefault",
            Sample.tenant(
                more: #"""
                    realm: r
                    accounts: { link_by_email: true }
                    """#
            ) + #"""
                  other:
                    hosts: [other.test]
                    realm: r
                    backend: { servers: [http://127.0.0.1:9001] }
                    authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }] }

                """#,
            [
                #"12:12: warning: tenant "shop" has this realm too (line 8), with another "link_by_email", so that accounts depend on where somebody signs in first: write the same in both"#
            ]
        ),
    ]
}
