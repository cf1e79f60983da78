extension Mistake {
    /// What is wrong with `introspection`.
    static let introspection: [Mistake] = [
        Mistake(
            "introspectionWithoutAnything",
            Sample.tenant(more: "introspection: { audiences: [a] }"),
            [
                #"8:5: "introspection" lacks "url": add "url: https://id.example.com/introspect""#,
                #"8:5: "introspection" lacks "client_id": add "client_id: gatehouse""#,
                #"8:5: "introspection" lacks "client_secret": add "client_secret: "${SECRET}"""#,
            ]
        ),
        Mistake(
            "introspectionOverPlainHTTP",
            section(#"url: "http://id.example.com/introspect", client_id: c, client_secret: s, audiences: [a]"#),
            [
                #"8:27: "url" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
        Mistake(
            "introspectionWithUserInURL",
            section(#"url: "https://u:canary@h/i", client_id: c, client_secret: s, audiences: [a]"#),
            [
                #"8:27: "url" must be an https:// address (http:// only on loopback): leave the user and the password out, nobody is asked for them"#
            ]
        ),
        Mistake(
            "introspectionWithEmptySecret",
            section(#"url: "https://h/i", client_id: c, client_secret: "${EMPTY}", audiences: [a]"#),
            [
                #"8:71: "client_secret" is empty: fill it in, a server tells nobody else about tokens (RFC 7662 section 2.1)"#
            ]
        ),
        Mistake(
            "introspectionWithOddClient",
            section(#"url: "https://h/i", client_id: "cé", client_secret: s, audiences: [a]"#),
            [
                #"8:53: "client_id" has a character that OAuth allows in none (RFC 6749 appendix A): use visible ASCII"#
            ]
        ),
        Mistake(
            "introspectionWithoutAudiences",
            section(#"url: "https://h/i", client_id: c, client_secret: s"#),
            [
                #"8:5: warning: aud is not checked: a token that was made for another app is good here if the server tells of it; list "audiences""#
            ]
        ),
        Mistake(
            "introspectionRememberedForLong",
            section(#"url: "https://h/i", client_id: c, client_secret: s, cache: 2h, audiences: [a]"#),
            [
                #"8:81: "cache" must be a duration, but is "2h": give one from 0s to 1h"#
            ]
        ),
        Mistake(
            "introspectionOfTheOwnIssuer",
            Sample.tenant(
                issuers: "[{ preset: built-in }]",
                more: """
                    issuer: { url: "https://shop.test", audience: a, algorithm: ES256 }
                    introspection: { url: "https://h/i", client_id: c, client_secret: s, issuer: "https://shop.test", audiences: [a] }
                    """
            ),
            [
                #"9:82: this is the tenant's own issuer, which makes no opaque access tokens: name the one whose server is asked, or leave "issuer" out"#
            ]
        ),
        Mistake(
            "nobodyVouchesForTokens",
            Sample.tenant().split(separator: "\n").map { $0.contains("issuers:") ? "      from: [bearer]" : String($0) }
                .joined(separator: "\n"),
            [
                #"6:5: "authenticate" lacks "issuers": add the list, or "introspection" if all tokens are opaque"#
            ]
        ),
        Mistake(
            "ownTokensBesideOpaqueOnes",
            """
            version: 1
            tenants:
              shop:
                hosts: [shop.test]
                backend: { servers: [http://127.0.0.1:9001] }
                authenticate: { from: [bearer] }
                introspection: { url: "https://h/i", client_id: c, client_secret: s, audiences: [a] }
                issuer: { url: "https://shop.test", audience: a, algorithm: ES256 }
                sign_in: { endpoints: { me: /me } }
            """,
            [
                #"9:16: "endpoints" needs the tokens of the tenant's own issuer to be good here: add "preset: built-in" to "issuers" of "authenticate""#
            ]
        ),
        Mistake(
            "refreshOfOpaqueTokens",
            """
            version: 1
            tenants:
              shop:
                hosts: [shop.test]
                backend: { servers: [http://127.0.0.1:9001] }
                authenticate: { from: [bearer] }
                introspection: { url: "https://h/i", client_id: c, client_secret: s, audiences: [a] }
                refresh: { call: { send: bearer, path: /r }, deliver: { header: X-T } }
            """,
            [
                #"8:5: a refresh has to bring a JWT, and this tenant takes none: add "issuers" to "authenticate", or leave "refresh" out"#
            ]
        ),
    ]

    private static func section(_ keys: String) -> String {
        Sample.tenant(more: "introspection: { \(keys) }")
    }
}
