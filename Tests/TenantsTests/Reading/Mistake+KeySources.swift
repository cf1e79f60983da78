extension Mistake {
    /// What is wrong with addresses that keys are fetched from, and with presets.
    static let keySources: [Mistake] = [
        address("insecureKeySetAddress", "http://id.test/k", "change it"),
        address("keySetAddressOfAnotherScheme", "ftp://id.test/k", "change it"),
        address(
            "keySetAddressWithUser",
            "https://u:canary@id.test/k",
            "leave the user and the password out, nobody is asked for them"
        ),
        address(
            "insecureKeySetAddressThatClaimsLoopback",
            "http://127.0.0.1@id.test/k",
            "leave the user and the password out, nobody is asked for them"
        ),
        address(
            "keySetAddressWithFragment",
            "https://id.test/k#a",
            "leave \"#\" and what follows it out, it is never sent"
        ),
        address(
            "keySetAddressWithSpace",
            "https://id.test/a b",
            "percent-encode the characters that no URL holds"
        ),
        address(
            "keySetAddressWithLetterBeyondASCII",
            "https://id.test/ä",
            "percent-encode the characters that no URL holds"
        ),
        address(
            "keySetAddressWithoutHost",
            "https:///k",
            "name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"
        ),
        address("keySetAddressWithBadPort", "https://id.test:0/k", "a port is a number from 1 to 65535"),
        discovery("discoveryOfAName", "id.test", "change it"),
        discovery("insecureDiscovery", "http://id.test", "change it"),
        discovery("discoveryWithQuery", "https://id.test/?a=b", "leave \"?\" and what follows it out"),
        discovery(
            "discoveryWithFragment",
            "https://id.test/#a",
            "leave \"#\" and what follows it out, it is never sent"
        ),
        Mistake(
            "discoveryThatIsOff",
            Sample.tenant(
                issuers: #"[{ issuer: 'https://i.test', audiences: [a], algorithms: [RS256], discovery: false }]"#
            ),
            [
                #"7:17: this issuer has no keys: give one of secret, secret_file, public_key_file, jwks_file, jwks_url, discovery, preset"#
            ]
        ),
        Mistake(
            "discoveryBesideAddress",
            Sample.tenant(
                issuers: """
                    [{ issuer: 'https://i.test', audiences: [a], algorithms: [RS256], discovery: true, \
                    jwks_url: 'https://i.test/k' }]
                    """
            ),
            [
                #"7:99: this issuer has keys from "discovery" and from "jwks_url": keep exactly one of secret, secret_file, public_key_file, jwks_file, jwks_url, discovery, preset"#
            ]
        ),
        Mistake(
            "presetWithIssuer",
            Sample.tenant(issuers: #"[{ preset: apple, audiences: [a], issuer: i }]"#),
            [
                #"7:50: "issuer" is known from the preset: leave it out"#
            ]
        ),
        Mistake(
            "presetWithoutAudiences",
            Sample.tenant(issuers: #"[{ preset: google }]"#),
            [
                #"7:17: warning: aud is not checked: a token that this issuer made for another app is good here; list "audiences""#
            ]
        ),
        Mistake(
            "presetTwice",
            Sample.tenant(
                issuers: "\n      - { preset: google, audiences: [a] }\n      - { preset: google, audiences: [b] }"
            ),
            [
                #"9:9: this issuer is listed twice, first in line 8: leave one out"#
            ]
        ),
        Mistake(
            "presetBesideOneOfItsNames",
            Sample.tenant(
                issuers: """

                          - { preset: google, audiences: [a] }
                          - { issuer: accounts.google.com, audiences: [a], algorithms: [RS256], jwks_url: 'https://a.test' }
                    """
            ),
            [
                #"9:19: this issuer is listed twice, first in line 8: leave one out"#
            ]
        ),
        Mistake(
            "insecureAddressOfPreset",
            Sample.tenant(
                issuers: #"[{ preset: apple, audiences: [a] }]"#,
                more: """
                    sign_in:
                      apple: { path: /a, client_ids: [a], then: forward, jwks_url: 'http://id.test/k' }
                    """
            ),
            [
                #"9:68: "jwks_url" must be an https:// address (http:// only on loopback): change it"#
            ]
        ),
    ]

    private static func address(_ name: String, _ url: String, _ remedy: String) -> Mistake {
        Mistake(
            name,
            Sample.tenant(issuers: "[{ issuer: i, audiences: [a], algorithms: [RS256], jwks_url: '\(url)' }]"),
            ["7:77: \"jwks_url\" must be an https:// address (http:// only on loopback): \(remedy)"]
        )
    }

    private static func discovery(_ name: String, _ issuer: String, _ remedy: String) -> Mistake {
        Mistake(
            name,
            Sample.tenant(issuers: "[{ discovery: true, issuer: '\(issuer)', audiences: [a], algorithms: [RS256] }]"),
            [
                "7:44: with \"discovery\", \"issuer\" must be an https:// address (http:// only on loopback): \(remedy)"
            ]
        )
    }
}
