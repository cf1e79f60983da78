extension Mistake {
    /// What is wrong with `send: built_in`.
    static let refreshIssuer: [Mistake] = [
        Mistake(
            "refreshWithoutIssuer",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"9:21: send built_in asks the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "refreshByAnIssuerThatIsNotTrusted",
            Sample.tenant(
                more: #"""
                    issuer: { url: "https://j.test", audience: a, algorithm: RS256 }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"10:21: send built_in gets tokens that are not good here: add "preset: built-in" to "issuers" of "authenticate""#
            ]
        ),
        Mistake(
            "refreshBuiltInWithRequest",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in, path: /r, method: PUT, access_token: /a, refresh_token: /b }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"10:31: send built_in asks the tenant's own issuer, without a request: leave "path" out"#,
                #"10:41: send built_in asks the tenant's own issuer, without a request: leave "method" out"#,
                #"10:54: send built_in asks the tenant's own issuer, without a request: leave "access_token" out"#,
                #"10:72: send built_in asks the tenant's own issuer, without a request: leave "refresh_token" out"#,
            ]
        ),
        Mistake(
            "refreshBuiltInWithoutStore",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in }
                      without_store: alone
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"11:7: the tenant's own issuer has its sessions in the store, so that nothing is refreshed without it: leave "without_store" out"#
            ]
        ),
        Mistake(
            "refreshWithoutStoreUnknown",
            Sample.tenant(
                more: #"""
                    refresh:
                      call: { send: bearer, path: /r }
                      without_store: maybe
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"10:22: "without_store" must be one of refuse, alone, but is "maybe": choose one of them"#
            ]
        ),
        Mistake(
            "refreshBuiltInWithClient",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in, client_id: c }
                      deliver: { header: X-T }
                    """#
            ),
            [
                #"10:31: "client_id" is for send oauth2 only: leave it out"#
            ]
        ),
        Mistake(
            "refreshBuiltInFromVault",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                      from: vault
                      vault: { capture: [{ path: /login }] }
                    """#
            ),
            [
                #"12:13: the tenant's own issuer goes by the session, so nothing is kept for it: leave "from" out, or write cookie:NAME"#
            ]
        ),
        Mistake(
            "refreshBuiltInFromVaultWithoutCapture",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                      from: vault
                    """#
            ),
            [
                #"12:13: the tenant's own issuer goes by the session, so nothing is kept for it: leave "from" out, or write cookie:NAME"#
            ]
        ),
        Mistake(
            "refreshBuiltInCookieIsNotReplaced",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                      from: cookie:r
                    """#
            ),
            [
                #"11:7: each refresh replaces the refresh token, but the client never gets the new one: add the cookie that "from" names to "cookies", with "/refresh_token""#
            ]
        ),
        Mistake(
            "refreshAtEveryRequest",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256, access: 30m }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                      within: 30m
                    """#
            ),
            [
                #"12:15: warning: tokens of "issuer" live 30m, so that each request leads to a refresh: give less"#
            ]
        ),
        Mistake(
            "refreshAtEveryRequestByDefault",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: RS256 }
                    refresh:
                      call: { send: built_in }
                      deliver: { header: X-T }
                      within: 2h
                    """#
            ),
            [
                #"12:15: warning: tokens of "issuer" live 1h, so that each request leads to a refresh: give less"#
            ]
        ),
    ]
}
