extension Mistake {
    /// What is wrong with `sign_in.apple` and `sign_in.google`.
    static let signInProviders: [Mistake] = [
        Mistake(
            "legacyBodyObserved",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, legacy_user_identifier: observe } }
                    """#
            ),
            [
                #"8:91: warning: who knows a user's name at Apple is let through as that user: use it for a migration only"#
            ]
        ),
        Mistake(
            "legacyBodyAllowed",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, legacy_user_identifier: allow } }
                    """#
            ),
            [
                #"8:91: warning: who knows a user's name at Apple is let through as that user: use it for a migration only"#
            ]
        ),
        Mistake(
            "legacyBodyForTokens",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256 }
                    sign_in: { apple: { path: /a, client_ids: [c], then: issue, legacy_user_identifier: observe } }
                    """#
            ),
            [
                #"9:89: nobody gets the gateway's tokens for a name that proves nothing: write deny, or "then: forward""#
            ]
        ),
        Mistake(
            "appleAddresses",
            Sample.tenant(
                more: #"""
                    sign_in:
                      apple:
                        path: /a
                        client_ids: [c]
                        then: forward
                        jwks_url: http://id.test/k
                        authorize_url: https://id.test/a?b=c
                        token_url: ftp://id.test
                        issuer: ''
                    """#
            ),
            [
                #"13:19: "jwks_url" must be an https:// address (http:// only on loopback): change it"#,
                #"14:24: "authorize_url" must be an https:// address (http:// only on loopback): leave "?" and what follows it out"#,
                #"15:20: "token_url" must be an https:// address (http:// only on loopback): change it"#,
                #"16:17: "issuer" must be text, but is "": it is empty; leave the key out or fill it in"#,
            ]
        ),
        Mistake(
            "googleAddresses",
            Sample.tenant(
                more: #"""
                    sign_in:
                      google:
                        path: /a
                        client_ids: []
                        then: exchange
                        jwks_url: https://u:canary@id.test/k
                        userinfo_url: http://id.test/u
                        tokeninfo_url: https://id.test/t?x
                        authorize_url: id.test
                        token_url: "${CANARY}"
                    """#
            ),
            [
                #"11:21: "client_ids" is empty: give at least 1, for example [com.example.app]"#,
                #"12:15: "then" must be one of forward, issue, but is "exchange": choose one of them"#,
                #"13:19: "jwks_url" must be an https:// address (http:// only on loopback): leave the user and the password out, nobody is asked for them"#,
                #"14:23: "userinfo_url" must be an https:// address (http:// only on loopback): change it"#,
                #"15:24: "tokeninfo_url" must be an https:// address (http:// only on loopback): leave "?" and what follows it out"#,
                #"16:24: "authorize_url" must be an https:// address (http:// only on loopback): change it"#,
                #"17:20: "token_url" must be an https:// address (http:// only on loopback): change it"#,
            ]
        ),
        Mistake(
            "appleKeyNotThere",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key_file: none.p8 } } }
                    """#
            ),
            [
                #"8:129: warning: "private_key_file" is not there, "none.p8": nobody can sign in with Apple in a browser until the gateway is started with it"#
            ]
        ),
        Mistake(
            "appleKeyNotThereByTheEnvironment",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key_file: "${CANARY}" } } }
                    """#
            ),
            [
                #"8:129: warning: "private_key_file" is not there, the value of CANARY: nobody can sign in with Apple in a browser until the gateway is started with it"#
            ]
        ),
        Mistake(
            "appleKeyOfAnotherCurve",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key_file: p384.p8 } } }
                    """#
            ),
            [
                #"8:129: "private_key_file" holds no private key for ES256, "p384.p8": give the .p8 file that Apple gave out"#
            ]
        ),
        Mistake(
            "appleKeyIsNone",
            Sample.tenant(
                more: #"""
                    sign_in: { apple: { path: /a, client_ids: [c], then: forward, web: { client_id: w, team_id: T, key_id: K, private_key_file: bad.pem } } }
                    """#
            ),
            [
                #"8:129: "private_key_file" holds no private key for ES256, "bad.pem": give the .p8 file that Apple gave out"#
            ]
        ),
        Mistake(
            "googleSecretIsEmpty",
            Sample.tenant(
                more: #"""
                    sign_in: { google: { path: /a, client_ids: [c], then: forward, web: { client_id: w, client_secret: "${EMPTY}" } } }
                    """#
            ),
            [
                #"8:104: warning: "client_secret" is empty: nobody can sign in with Google in a browser until it is filled in"#
            ]
        ),
        Mistake(
            "googleSecretIsTheExamples",
            Sample.tenant(
                more: #"""
                    sign_in: { google: { path: /a, client_ids: [c], then: forward, web: { client_id: w, client_secret: example-only-google } } }
                    """#
            ),
            [
                #"8:104: warning: "client_secret" is the example's, which everyone knows: replace it before others can connect"#
            ]
        ),
        Mistake(
            "googleClientIsNone",
            Sample.tenant(
                more: #"""
                    sign_in: { google: { path: /a, client_ids: [c], then: forward, web: { client_id: "w\u00e9", client_secret: "s\u00e9" } } }
                    """#
            ),
            [
                #"8:86: "client_id" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
                #"8:112: "client_secret" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#,
            ]
        ),
    ]
}
