extension Mistake {
    /// What is wrong with `issuer`.
    static let ownIssuer: [Mistake] = [
        Mistake(
            "issuerURLInsecure",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "http://i.test", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:20: "url" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "issuerURLIsNoURL",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "i", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:20: "url" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "issuerURLWithQuery",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "https://i.test/?a=b", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:20: "url" must be an https:// address (http:// only on loopback): leave "?" and what follows it out"#
            ]
        ),
        Mistake(
            "issuerURLWithFragment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "https://i.test/#a", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                ##"8:20: "url" must be an https:// address (http:// only on loopback): leave "#" and what follows it out, it is never sent"##
            ]
        ),
        Mistake(
            "issuerURLWithUser",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "https://canary@i.test", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:20: "url" must be an https:// address (http:// only on loopback): leave the user and the password out, nobody is asked for them"#
            ]
        ),
        Mistake(
            "issuerURLFromTheEnvironment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: "${CANARY}", audience: a, algorithm: ES256 }
                    """#
            ),
            [
                #"8:20: "url" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "rotationIsTooOften",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, rotate_every: 1h }
                    """#
            ),
            [
                #"8:83: "rotate_every" must be longer than its tokens live, which is 1h: write more, for example 90d"#
            ]
        ),
        Mistake(
            "rotationIsTooOftenForIDTokens",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, access: 5m, id: 5h, rotate_every: 5h }
                    """#
            ),
            [
                #"8:103: "rotate_every" must be longer than its tokens live, which is 5h: write more, for example 90d"#
            ]
        ),
        Mistake(
            "rotationOfFiles",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, rotate_every: 30d, keys_dir: keys }
                    """#
            ),
            [
                #"8:83: warning: keys in "keys_dir" are not replaced by the gateway: leave "rotate_every" or "keys_dir" out"#,
                #"8:98: warning: no key in "keys": tokens of this issuer are refused until there is one (gatehouse keys generate --algorithm ES256 --out keys)"#,
            ]
        ),
        Mistake(
            "pageIsNotShown",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, page: { name: "a\u202eb", color: "#12345" } }
                    """#
            ),
            [
                #"8:83: "name" must be visible text on one line: leave control characters out"#,
                ##"8:102: "color" must be "#" and six hexadecimal digits, but is "#12345": write it like "#0a7cff""##,
            ]
        ),
        Mistake(
            "pageWithoutQuotes",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer:
                      url: https://i.test
                      audience: a
                      algorithm: ES256
                      page:
                        name: ' '
                        color: #0a7cff
                    """#
            ),
            [
                #"13:15: "name" must be visible text on one line: leave control characters out"#,
                ##"14:15: "color" must be text, but is nothing: write it like "#0a7cff""##,
            ]
        ),
        Mistake(
            "pageColorFromTheEnvironment",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"""
                    issuer: { url: 'https://i.test', audience: a, algorithm: ES256, page: { colour: red, color: "${CANARY}" } }
                    """#
            ),
            [
                #"8:77: unknown key "colour": did you mean "color"?"#,
                ##"8:97: "color" must be "#" and six hexadecimal digits, but is the value of CANARY: write it like "#0a7cff""##,
            ]
        ),
    ]
}
