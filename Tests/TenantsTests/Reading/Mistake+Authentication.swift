extension Mistake {
    /// What is wrong with token places, issuers and keys.
    static let authentication: [Mistake] = [
        Mistake(
            "emptyFrom",
            Sample.tenant(auth: #"from: []"#),
            [
                #"8:13: "from" is empty: give at least 1, for example [bearer]"#
            ]
        ),
        Mistake(
            "manyTokenSources",
            Sample.tenant(auth: "from: [\((1...16).map { "'header:X-T\($0)'" }.joined(separator: ", "))]"),
            []
        ),
        Mistake(
            "tooManyTokenSources",
            Sample.tenant(auth: "from: [\((1...17).map { "'header:X-T\($0)'" }.joined(separator: ", "))]"),
            [
                #"8:13: "from" has more than 16 items: give fewer"#
            ]
        ),
        Mistake(
            "unknownTokenSource",
            Sample.tenant(auth: #"from: [baerer]"#),
            [
                #"8:14: "from" must hold bearer, cookie:NAME, query:NAME or header:NAME, but "baerer" is none: did you mean bearer?"#
            ]
        ),
        Mistake(
            "cookieWithoutName",
            Sample.tenant(auth: #"from: ['cookie:']"#),
            [
                #"8:14: "from" must hold bearer, cookie:NAME, query:NAME or header:NAME, but "cookie:" is none: the name after the colon has letters, digits, "-" and "_""#
            ]
        ),
        Mistake(
            "authorizationAsHeader",
            Sample.tenant(auth: #"from: ['header:Authorization']"#),
            [
                #"8:14: "from" must hold bearer, cookie:NAME, query:NAME or header:NAME, but "header:Authorization" is none: that field has a form of its own; write bearer or cookie:NAME"#
            ]
        ),
        Mistake(
            "tokenSourceTwice",
            Sample.tenant(auth: #"from: [bearer, bearer]"#),
            [
                #"8:22: "bearer" is listed twice: leave one out"#
            ]
        ),
        Mistake(
            "tokenInQuery",
            Sample.tenant(auth: #"from: ['query:token']"#),
            [
                #"8:14: warning: a token in the URL ends up in logs, histories and Referer: prefer bearer or a cookie"#
            ]
        ),
        Mistake(
            "longLeeway",
            Sample.tenant(auth: #"leeway: 10m"#),
            [
                #"8:15: warning: expired tokens stay good this long: set the clocks and keep the leeway under 5m"#
            ]
        ),
        Mistake(
            "issuerTwice",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }, { issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:121: this issuer is listed twice, first in line 7: leave one out"#
            ]
        ),
        Mistake(
            "issuerWithoutName",
            Sample.tenant(
                issuers: #"[{ audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:17: this issuer lacks "issuer": add the "iss" of its tokens, to the letter"#
            ]
        ),
        Mistake(
            "issuerWithoutAlgorithms",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], secret: 0123456789abcdef0123456789abcdef }]"#),
            [
                #"7:17: this issuer lacks "algorithms": name what its tokens are signed with, for example [RS256]"#
            ]
        ),
        Mistake(
            "noneAsAlgorithm",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [none], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:59: an item of "algorithms" must be one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, but is "none": choose one of them"#
            ]
        ),
        Mistake(
            "issuerWithoutKeys",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256] }]"#),
            [
                #"7:17: this issuer has no keys: give one of secret, secret_file, public_key_file, jwks_file, jwks_url, discovery, preset"#
            ]
        ),
        Mistake(
            "issuerWithTwoKeySources",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef, jwks_file: k.json }]"#
            ),
            [
                #"7:109: this issuer has keys from "secret" and from "jwks_file": keep exactly one of secret, secret_file, public_key_file, jwks_file, jwks_url, discovery, preset"#
            ]
        ),
        Mistake(
            "issuerWithoutAudiences",
            Sample.tenant(issuers: #"[{ issuer: i, algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]"#),
            [
                #"7:17: warning: aud is not checked: a token that this issuer made for another app is good here; list "audiences""#
            ]
        ),
        Mistake(
            "secretForPublicKeyAlgorithm",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [RS256], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:58: RS256 cannot be verified with a secret: use HS256, HS384 or HS512, or give a public key"#
            ]
        ),
        Mistake(
            "publicKeyForSecretAlgorithm",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], public_key_file: k.pem }]"#),
            [
                #"7:58: HS256 needs a secret, but "public_key_file" gives public keys: use RS256, ES256 or the like, or give "secret""#
            ]
        ),
        Mistake(
            "mixedAlgorithms",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256, RS256], jwks_file: k.json }]"#),
            [
                #"7:58: HS algorithms need a secret, the others a public key: keep one kind"#
            ]
        ),
        Mistake(
            "shortSecret",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: canary }]"#),
            [
                #"7:75: "secret" has 6 bytes, HS256 needs at least 32 (RFC 7518 section 3.2): generate one with "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "secretTooShortForHS512",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [HS256, HS512], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:82: "secret" has 32 bytes, HS512 needs at least 64 (RFC 7518 section 3.2): generate one with "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "emptySecretVariable",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: "${EMPTY}" }]"#),
            [
                #"7:75: "secret" is empty, as EMPTY is: generate one with "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "shortSecretFile",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret_file: short.secret }]"#),
            [
                #"7:80: "secret_file" has 8 bytes, HS256 needs at least 32 (RFC 7518 section 3.2): generate one with "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "emptySecretFile",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret_file: empty.secret }]"#),
            [
                #"7:80: "secret_file" is empty: generate one with "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "missingSecretFile",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret_file: none.secret }]"#),
            [
                #"7:80: "secret_file" cannot be read, "none.secret": no such file or directory"#
            ]
        ),
        Mistake(
            "fileThatIsNoPEM",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [RS256], public_key_file: bad.pem }]"#),
            [
                #"7:84: "public_key_file" has no key that can be used, "bad.pem": no PEM block of a supported key"#
            ]
        ),
        Mistake(
            "fileThatIsNoKeySet",
            Sample.tenant(issuers: #"[{ issuer: i, audiences: [a], algorithms: [RS256], jwks_file: bad.json }]"#),
            [
                #"7:78: "jwks_file" has no key that can be used, "bad.json": the key set is not strict JSON"#
            ]
        ),
        Mistake(
            "builtInWithoutIssuer",
            Sample.tenant(issuers: #"[{ preset: built-in }]"#),
            [
                #"7:27: preset "built-in" is the tenant's own issuer, and it has none: add an "issuer" section"#
            ]
        ),
        Mistake(
            "builtInWithMissingDirectory",
            Sample.tenant(
                issuers: #"[{ preset: built-in }]"#,
                more: #"issuer: { url: 'https://shop.test', audience: a, algorithm: ES256, keys_dir: keys/shop }"#
            ),
            [
                #"8:82: warning: no key in "keys/shop": tokens of this issuer are refused until there is one (gatehouse keys generate --algorithm ES256 --out keys/shop)"#
            ]
        ),
    ]
}
