import Verification

extension Schema {
    static let signal = SignalKeys()

    struct SignalKeys: KeyTable {
        let issuer = Key("issuer", .text(example: "https://signals.example.com"), isRequired: true)
            .means("The `iss` of its tokens, to the letter.")
        let audience = Key(
            "audience",
            .either(.text(example: "https://shop.example.com"), .list(.text(example: "shop"), minimum: 1, maximum: 64)),
            isRequired: true
        )
        .means("The `aud` that a token must name one of: what it knows this tenant by.")
        let jwksURL = Key(KeySourceName.keySetURL.rawValue, .url(example: "https://signals.example.com/jwks.json"))
            .means("The address of its JWK Set: https, or http on loopback.")
        let jwksFile = Key(KeySourceName.keySetFile.rawValue, .path(example: "jwks.json"))
            .means("A file with its JWK Set.")
        let discovery = Key(KeySourceName.discovery.rawValue, .boolean)
            .means("Whether the JWK Set is found by the issuer's OpenID configuration.")
        let algorithms = Key("algorithms", .list(.choice(SignatureAlgorithm.self), minimum: 1), default: [.rs256])
            .means("What its tokens may be signed with.", example: "[ES256]")
        let bearer = Key("bearer", .secret)
            .means(
                "A secret of 16 bytes or more that it sends as `Authorization: Bearer` with each event, besides signing it. "
                    + "Omitted: the signature alone is checked."
            )
    }
}
