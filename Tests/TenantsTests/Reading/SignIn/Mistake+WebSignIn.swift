extension Mistake {
    /// What is wrong with `sign_in.web`.
    static let webSignIn: [Mistake] = [
        Mistake(
            "webSecretIsEmpty",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, after: 'https://a.test/', provider: google, client_id: w, client_secret: '', cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:123: warning: "client_secret" is empty: nobody can sign in with Google in a browser until it is filled in"#
            ]
        ),
        Mistake(
            "webSecretIsNotThere",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, after: 'https://a.test/', client_id: w, provider: google, cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:100: warning: nobody can sign in with Google in a browser without the client's secret: add "client_secret""#
            ]
        ),
        Mistake(
            "webSecretIsTheExamples",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, after: 'https://a.test/', client_id: w, provider: google, client_secret: example-only-s, cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:123: warning: "client_secret" is the example's, which everyone knows: replace it before others can connect"#
            ]
        ),
        Mistake(
            "webWithoutApple",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, after: 'https://a.test/', client_id: w, provider: apple, client_secret: s, cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:100: provider apple signs with the key of "web" in "apple", which is not there: add that section"#,
                #"11:107: a key signs for the client at Apple ("private_key_file"): leave "client_secret" out"#,
            ]
        ),
        Mistake(
            "webByAppleWithoutKey",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, after: 'https://a.test/', client_id: w, provider: apple, cookies: { access: ca, refresh: cr } }
                      apple: { path: /a, client_ids: [c], then: issue }
                    """#
            ),
            [
                #"11:100: provider apple signs with the key of "web" in "apple", which is not there: add that section"#
            ]
        ),
        Mistake(
            "webAfterRelative",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "/home", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: begin it with its scheme, like https://"#
            ]
        ),
        Mistake(
            "webAfterInsecure",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "http://a.test/", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: http:// is for this machine only; begin it with https://"#
            ]
        ),
        Mistake(
            "webAfterWithUser",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "https://u:canary@a.test/", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: leave the user and the password out"#
            ]
        ),
        Mistake(
            "webAfterWithFragment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "https://a.test/#x", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                ##"11:107: "after" must be a page's whole URL: leave "#" and what follows it out"##
            ]
        ),
        Mistake(
            "webAfterOfAnApp",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "app://back", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: begin it with https://"#
            ]
        ),
        Mistake(
            "webAfterThatRuns",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "javascript:alert(1)", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: begin it with https://"#
            ]
        ),
        Mistake(
            "webAfterWithoutHost",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "https:///x", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"#
            ]
        ),
        Mistake(
            "webAfterWithSpace",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "https://a.test/ b", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: percent-encode the characters that no URL holds"#
            ]
        ),
        Mistake(
            "webAfterFromTheEnvironment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: "${CANARY}", cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"11:107: "after" must be a page's whole URL: begin it with its scheme, like https://"#
            ]
        ),
        Mistake(
            "webCookiesAreNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: 'a b', refresh: "${CANARY};" } }
                    """#
            ),
            [
                #"11:145: "access" is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, "-" and "_""#,
                #"11:161: "refresh" is no cookie's name (RFC 6265 section 4.1.1): use letters, digits, "-" and "_""#,
            ]
        ),
        Mistake(
            "webCookiesAreOne",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: ca } }
                    """#
            ),
            [
                #"11:158: "refresh" has the name of "access": give each cookie one of its own"#
            ]
        ),
        Mistake(
            "webCookieIsNotTaken",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"10:145: warning: no token is taken from this cookie: add "cookie:NAME" with its name to "from" of "authenticate""#
            ]
        ),
        Mistake(
            "webCookieIsNotRenewed",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    refresh: { call: { send: built_in }, deliver: { header: X-T } }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"12:145: warning: a refresh does not renew this cookie: add it to "cookies" of "deliver""#
            ]
        ),
        Mistake(
            "webCookieOfAnotherName",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                auth: #"from: [bearer, 'cookie:ca']"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    refresh: { from: 'cookie:other', call: { send: built_in }, deliver: { cookies: { ca: /access_token, other: /refresh_token } } }
                    sign_in:
                      web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s, after: 'https://a.test/', cookies: { access: ca, refresh: cr } }
                    """#
            ),
            [
                #"12:158: warning: "from" of the tenant's "refresh" names another cookie, so that these sessions are not renewed: use one name"#
            ]
        ),
    ]
}
