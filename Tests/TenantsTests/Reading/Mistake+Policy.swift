extension Mistake {
    /// What is wrong with access rules and identity; what is not in effect; secrets.
    static let policy: [Mistake] = [
        Mistake(
            "rulePathWithoutSlash",
            Sample.tenant(more: #"access: [{ path: api, allow: anyone }]"#),
            [
                #"8:22: "path" is no path of a rule: a path starts with "/": write "/api""#
            ]
        ),
        Mistake(
            "ruleWithInnerDoubleStar",
            Sample.tenant(more: #"access: [{ path: /a/**/b, allow: anyone }]"#),
            [
                #"8:22: "path" is no path of a rule: "/a/**/b": "*" stands for a whole segment and "**" for the end of the path"#
            ]
        ),
        Mistake(
            "methodInSmallLetters",
            Sample.tenant(more: #"access: [{ path: /a, methods: [get], allow: anyone }]"#),
            [
                #"8:36: "get" matches no usual request, methods are case-sensitive: write it in capitals"#
            ]
        ),
        Mistake(
            "methodThatIsNoToken",
            Sample.tenant(more: #"access: [{ path: /a, methods: ['GET POST'], allow: anyone }]"#),
            [
                #"8:36: "GET POST" is no method: write it like GET or POST"#
            ]
        ),
        Mistake(
            "emptyMethods",
            Sample.tenant(more: #"access: [{ path: /a, methods: [], allow: anyone }]"#),
            [
                #"8:35: "methods" is empty: give at least 1, for example [GET]"#
            ]
        ),
        Mistake(
            "allowEveryone",
            Sample.tenant(more: #"access: [{ path: /a, allow: everyone }]"#),
            [
                #"8:33: "allow" must be anyone, but is "everyone": write anyone"#
            ]
        ),
        Mistake(
            "ruleWithoutAllow",
            Sample.tenant(more: #"access: [{ path: /a }]"#),
            [
                #"8:14: an item of "access" lacks "allow": add "allow: anyone""#
            ]
        ),
        Mistake(
            "unreachableRule",
            Sample.tenant(more: #"access:\#n  - { path: /a/**, allow: anyone }\#n  - { path: /a/b, allow: {} }"#),
            [
                #"10:9: this rule is never reached, all of it is decided in line 9: move it up or leave it out"#
            ]
        ),
        Mistake(
            "unreachableByTwoRules",
            Sample.tenant(
                more:
                    #"access:\#n  - { path: /a/**, methods: [GET], allow: anyone }\#n  - { path: /a/**, methods: [PUT], allow: anyone }\#n  - { path: /a/*, methods: [PUT, GET], allow: {} }"#
            ),
            [
                #"11:9: this rule is never reached, all of it is decided in line 9 and line 10: move it up or leave it out"#
            ]
        ),
        Mistake(
            "identityIsHost",
            Sample.tenant(more: #"identity: { headers: { Host: sub } }"#),
            [
                #"8:28: "Host" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"#
            ]
        ),
        Mistake(
            "identityIsForwarded",
            Sample.tenant(more: #"identity: { headers: { X_Forwarded_For: sub } }"#),
            [
                #"8:28: "X_Forwarded_For" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"#
            ]
        ),
        Mistake(
            "identityIsNoFieldName",
            Sample.tenant(more: #"identity: { headers: { 'X User': sub } }"#),
            [
                #"8:28: "X User" is no field name: write it like X-User-Id"#
            ]
        ),
        Mistake(
            "identityTwice",
            Sample.tenant(more: #"identity: { headers: { X-User: sub, x_user: email } }"#),
            [
                #"8:41: "x_user" is the same field as in line 8: leave one out"#
            ]
        ),
        Mistake(
            "mistakeInCORS",
            Sample.tenant(more: #"cors: { orgins: [a] }"#),
            [
                #"8:5: "cors" lacks "origins": add "origins: [https://app.example.com]""#,
                #"8:13: unknown key "orgins": did you mean "origins"?"#,
            ]
        ),
        Mistake(
            "tooManyReplayBytes",
            Sample.tenant(more: #"limits: { replay_bytes: 17MiB }"#),
            [
                #"8:29: "replay_bytes" must be a size, but is "17MiB": give one from 0 to 16777216"#
            ]
        ),
        Mistake(
            "exampleSecret",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: example-only-0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:75: warning: "secret" is the example's, which everyone knows: replace it before others can connect"#
            ]
        ),
        Mistake(
            "exampleSecretInTheOpen",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audiences: [a], algorithms: [HS256], secret: example-only-0123456789abcdef0123456789abcdef }]"#
            )
                + #"gateway: { listen: [{ address: '0.0.0.0:8080' }] }\#n"#,
            [
                #"7:75: "secret" is the example's, which everyone knows, and a listener is not on loopback: set a secret of your own, for example from "openssl rand -base64 48""#
            ]
        ),
        Mistake(
            "valueFromEnvironmentIsNotShown",
            Sample.gateway(#"threads: "${CANARY}""#),
            [
                #"9:12: "threads" must be a whole number, but is the value of CANARY: write a whole number in decimal digits"#
            ]
        ),
        Mistake(
            "severalAtOnce",
            Sample.tenant(
                hosts: #"[shop.test, 'a:1']"#,
                backend: #"{ servers: [x] }"#,
                auth: #"leeway: 1"#,
                more: #"mod: enforce"#
            ),
            [
                #"4:24: "hosts" must hold host names, but "a:1" is none: give the host alone, without a port"#,
                #"5:26: a server must be like http://127.0.0.1:9001, but is "x": write it with its scheme, like http://127.0.0.1:9001"#,
                #"8:15: "leeway" must be a duration, but is "1": add a unit: ms, s, m, h or d"#,
                #"9:5: unknown key "mod": did you mean "mode"?"#,
            ]
        ),
    ]
}
