extension Mistake {
    /// What is wrong with `issuer.clients`.
    static let issuerClients: [Mistake] = [
        Mistake(
            "clientWithoutSecret",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, redirect_uris: [] }
                        - { id: b, public: false, redirect_uris: [] }
                    """#
            ),
            [
                #"13:11: this client has no secret: add "secret", or "public: true" for an app or a page"#,
                #"14:11: this client has no secret: add "secret", or "public: true" for an app or a page"#,
            ]
        ),
        Mistake(
            "publicClientWithSecret",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, secret: 0123456789abcdef, redirect_uris: [] }
                    """#
            ),
            [
                #"13:20: a public client has no secret: leave "public" out, or "secret""#
            ]
        ),
        Mistake(
            "clientSecretsThatAreNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, secret: 0123456789abcde, redirect_uris: [] }
                        - { id: b, secret: "${EMPTY}", redirect_uris: [] }
                        - { id: c, secret: "\u00e9canary-canary-canary", redirect_uris: [] }
                        - { id: d, secret: example-only-0123, redirect_uris: [] }
                    """#
            ),
            [
                #"13:28: "secret" has 15 bytes, a client's needs at least 16: generate one with "openssl rand -base64 32""#,
                #"14:28: "secret" is empty: fill it in, or write "public: true" for an app or a page"#,
                #"15:28: "secret" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
                #"16:28: warning: "secret" is the example's, which everyone knows: replace it before others can connect"#,
            ]
        ),
        Mistake(
            "clientsBoundToWhatIsNotLookedAt",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: [], dpop_bound: true }
                        - { id: b, public: true, redirect_uris: [], certificate_bound: true }
                        - { id: c, public: true, redirect_uris: [], dpop_bound: false, certificate_bound: false }
                    """#
            ),
            [
                #"13:53: this client gets no tokens, because its proofs are not looked at: add "dpop" to the tenant, or "#
                    + #"leave "dpop_bound" out"#,
                #"14:53: this client gets no tokens, because nobody is asked for a certificate: add "client_ca_file" to "#
                    + #"the tenant's "tls", or leave "certificate_bound" out"#,
            ]
        ),
        Mistake(
            "clientTwice",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: [] }
                        - { id: b, public: true, redirect_uris: [] }
                        - { id: a, public: true, redirect_uris: [] }
                    """#
            ),
            [
                #"15:17: this client is in line 13 already: give it another "id""#
            ]
        ),
        Mistake(
            "clientIDIsNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: "\u00e9", public: true, redirect_uris: [] }
                        - { id: '', public: true, redirect_uris: [] }
                        - { public: true, redirect_uris: [] }
                    """#
            ),
            [
                #"13:17: "id" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
                #"14:17: "id" must be text, but is "": it is empty; leave the key out or fill it in"#,
                #"15:11: an item of "clients" lacks "id": add "id: shop-mobile""#,
            ]
        ),
        Mistake(
            "redirectURIsThatAreNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: ["app://x"], post_logout_redirect_uris: []}
                        - { id: c0, public: true, redirect_uris: ["/back"] }
                        - { id: c1, public: true, redirect_uris: ["back"] }
                        - { id: c2, public: true, redirect_uris: ["javascript:alert(1)"] }
                        - { id: c3, public: true, redirect_uris: ["DATA:text/html,x"] }
                        - { id: c4, public: true, redirect_uris: ["vbscript:x"] }
                        - { id: c5, public: true, redirect_uris: ["file:///etc"] }
                        - { id: c6, public: true, redirect_uris: ["blob:https://a.test/x"] }
                        - { id: c7, public: true, redirect_uris: ["http://a.test/"] }
                        - { id: c8, public: true, redirect_uris: ["http://127.0.0.1.a.test/"] }
                        - { id: c9, public: true, redirect_uris: ["https://a.test/*"] }
                        - { id: c10, public: true, redirect_uris: ["https://*.a.test/"] }
                        - { id: c11, public: true, redirect_uris: ["https://a.test/#x"] }
                        - { id: c12, public: true, redirect_uris: ["app://back#"] }
                        - { id: c13, public: true, redirect_uris: ["https://u:canary@a.test/"] }
                        - { id: c14, public: true, redirect_uris: ["https:a.test"] }
                        - { id: c15, public: true, redirect_uris: ["https://"] }
                        - { id: c16, public: true, redirect_uris: ["app:"] }
                        - { id: c17, public: true, redirect_uris: ["1app://x"] }
                        - { id: c18, public: true, redirect_uris: ["https://a.test/ b"] }
                        - { id: c19, public: true, redirect_uris: ["https://a.test:0/"] }
                        - { id: c20, public: true, redirect_uris: ["https://a.test\\@b.test/"] }
                        - { id: c21, public: true, redirect_uris: ["//a.test/"] }
                    sign_in: { google: { path: /g, client_ids: [c], then: issue, web: { client_id: w, client_secret: s } } }
                    """#
            ),
            [
                #"14:51: "redirect_uris" must hold absolute URIs, but "/back" is none that can be used: begin it with its scheme, like https://"#,
                #"15:51: "redirect_uris" must hold absolute URIs, but "back" is none that can be used: begin it with its scheme, like https://"#,
                #"16:51: "redirect_uris" must hold absolute URIs, but "javascript:alert(1)" is none that can be used: begin it with https://, or with the app's own scheme"#,
                #"17:51: "redirect_uris" must hold absolute URIs, but "DATA:text/html,x" is none that can be used: begin it with https://, or with the app's own scheme"#,
                #"18:51: "redirect_uris" must hold absolute URIs, but "vbscript:x" is none that can be used: begin it with https://, or with the app's own scheme"#,
                #"19:51: "redirect_uris" must hold absolute URIs, but "file:///etc" is none that can be used: begin it with https://, or with the app's own scheme"#,
                #"20:51: "redirect_uris" must hold absolute URIs, but "blob:https://a.test/x" is none that can be used: begin it with https://, or with the app's own scheme"#,
                #"21:51: "redirect_uris" must hold absolute URIs, but "http://a.test/" is none that can be used: http:// is for this machine only; begin it with https://"#,
                #"22:51: "redirect_uris" must hold absolute URIs, but "http://127.0.0.1.a.test/" is none that can be used: http:// is for this machine only; begin it with https://"#,
                #"23:51: "redirect_uris" must hold absolute URIs, but "https://a.test/*" is none that can be used: "*" stands for nothing here; write each one out"#,
                #"24:52: "redirect_uris" must hold absolute URIs, but "https://*.a.test/" is none that can be used: "*" stands for nothing here; write each one out"#,
                ##"25:52: "redirect_uris" must hold absolute URIs, but "https://a.test/#x" is none that can be used: leave "#" and what follows it out"##,
                ##"26:52: "redirect_uris" must hold absolute URIs, but "app://back#" is none that can be used: leave "#" and what follows it out"##,
                #"27:52: "redirect_uris" must hold absolute URIs, but a URL with a user or a password is none that can be used: leave the user and the password out"#,
                #"28:52: "redirect_uris" must hold absolute URIs, but "https:a.test" is none that can be used: write "://" and the host"#,
                #"29:52: "redirect_uris" must hold absolute URIs, but "https://" is none that can be used: name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"#,
                #"30:52: "redirect_uris" must hold absolute URIs, but "app:" is none that can be used: add what follows the scheme, like app://back"#,
                #"31:52: "redirect_uris" must hold absolute URIs, but "1app://x" is none that can be used: begin it with its scheme, like https://"#,
                #"32:52: "redirect_uris" must hold absolute URIs, but "https://a.test/ b" is none that can be used: percent-encode the characters that no URL holds"#,
                #"33:52: "redirect_uris" must hold absolute URIs, but "https://a.test:0/" is none that can be used: a port is a number from 1 to 65535"#,
                #"34:52: "redirect_uris" must hold absolute URIs, but a URL with a user or a password is none that can be used: percent-encode the characters that no URL holds"#,
                #"35:52: "redirect_uris" must hold absolute URIs, but "//a.test/" is none that can be used: begin it with its scheme, like https://"#,
            ]
        ),
        Mistake(
            "logoutURIsThatAreNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: [], post_logout_redirect_uris: ["http://a.test/", "${CANARY}", "app://x", "app://x"] }
                    """#
            ),
            [
                #"13:81: "post_logout_redirect_uris" must hold absolute URIs, but "http://a.test/" is none that can be used: http:// is for this machine only; begin it with https://"#,
                #"13:99: "post_logout_redirect_uris" must hold absolute URIs, but the value of CANARY is none that can be used: begin it with its scheme, like https://"#,
                #"13:123: "app://x" is listed twice: leave one out"#,
            ]
        ),
        Mistake(
            "redirectURITwice",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: ["app://x", "app://X", "app://x"] }
                    sign_in: { google: { path: /g, client_ids: [c], then: issue, web: { client_id: w, client_secret: s } } }
                    """#
            ),
            [
                #"13:72: "app://x" is listed twice: leave one out"#
            ]
        ),
        Mistake(
            "scopesThatAreNone",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: [], scopes: [openid, 'a b', "\u00e9", 'a\"b', openid, "${CANARY} x"] }
                    """#
            ),
            [
                #"13:70: "a b" is no scope (RFC 6749 section 3.3): write one word of visible ASCII"#,
                #"13:77: "é" is no scope (RFC 6749 section 3.3): write one word of visible ASCII"#,
                #"13:87: "a\"b" is no scope (RFC 6749 section 3.3): write one word of visible ASCII"#,
                #"13:95: "openid" is listed twice: leave one out"#,
                #"13:103: the value of CANARY is no scope (RFC 6749 section 3.3): write one word of visible ASCII"#,
            ]
        ),
        Mistake(
            "clientsWithoutProvider",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      clients:
                        - { id: a, public: true, redirect_uris: ["app://x"] }
                    sign_in: { apple: { path: /a, client_ids: [c], then: issue } }
                    """#
            ),
            [
                #"12:7: warning: nobody can sign in on the page that clients send people to: add "web" to "apple" or "google" of "sign_in""#
            ]
        ),
    ]
}
