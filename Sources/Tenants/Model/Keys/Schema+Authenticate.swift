import ConfigurationText
import Verification

extension Schema {
    static let authenticate = AuthenticateKeys()
    static let trustedIssuer = TrustedIssuerKeys()
    static let claims = ClaimsKeys()
    static let issuer = IssuerKeys()
    static let page = PageKeys()
    static let client = ClientKeys()

    struct AuthenticateKeys: KeyTable {
        let from = Key("from", .list(.text(example: "bearer"), minimum: 1, maximum: 16), default: ["bearer"])
            .means(
                "Where a token is looked for, in order: `bearer`, `cookie:NAME`, `query:NAME`, `header:NAME`.",
                example: "[bearer, cookie:session]"
            )
        let issuers = Key("issuers", .list(.object(Schema.trustedIssuer), minimum: 1))
            .means(
                "Who may have signed a token. Needed unless there is `introspection`.",
                example: "[{ preset: auth0, domain: shop.eu.auth0.com, audiences: [shop-api] }]"
            )
        let leeway = Key("leeway", .duration(.zero...hour), default: .seconds(60))
            .means("How far the clocks of issuer and gateway may be apart.", example: "10s")
        let require = Key("require", .list(.text(example: "sub")), default: ["exp"])
            .means("Claims that a token must have.", example: "[exp, sub]")
    }

    struct TrustedIssuerKeys: KeyTable {
        let issuer = Key("issuer", .text(example: "https://id.example.com"))
            .means("The `iss` of its tokens, to the letter. Needed unless a preset names it.")
        let audiences = Key("audiences", .list(.text(example: "my-app"), minimum: 1))
            .means("The `aud` that a token must name one of. Omitted: `aud` is not checked, with a warning.")
        let algorithms = Key("algorithms", .list(.choice(SignatureAlgorithm.self), minimum: 1))
            .means("What its tokens may be signed with. Needed unless a preset names it.", example: "[RS256]")
        let secret = Key(KeySourceName.secret.rawValue, .secret)
            .means("The shared secret of HS256, HS384 or HS512, as text.")
        let secretFile = Key(KeySourceName.secretFile.rawValue, .path(example: "jwt.secret"))
            .means("A file that holds the secret; one newline at its end is dropped.")
        let publicKeyFile = Key(KeySourceName.publicKeyFile.rawValue, .path(example: "issuer.pem"))
            .means("A file with public keys in PEM.")
        let jwksFile = Key(KeySourceName.keySetFile.rawValue, .path(example: "jwks.json"))
            .means("A file with a JWK Set; it may hold symmetric keys.")
        let jwksURL = Key(KeySourceName.keySetURL.rawValue, .url(example: "https://id.example.com/jwks.json"))
            .means("The address of a JWK Set: https, or http on loopback or with `allow_http`.")
        let discovery = Key(KeySourceName.discovery.rawValue, .boolean)
            .means("Whether the JWK Set is found by the issuer's OpenID configuration.")
        let allowHTTP = Key("allow_http", .boolean, default: false)
            .means(
                "Whether keys may be fetched over plain http, with a warning: for a network of one's own, like that of a "
                    + "Compose file."
            )
        let preset = Key(KeySourceName.preset.rawValue, .choice(IssuerPreset.self))
            .means(
                "A known issuer: `built-in` is the tenant's own, from its `issuer` section. For the others see "
                    + "[providers](providers.md); what is given beside them replaces what they know.",
                example: "keycloak"
            )
        let arguments = PresetArgument.allCases.map { argument in
            Key(argument.rawValue, .text(example: argument.example)).means(argument.meaning)
        }
        let claims = Key("claims", .object(Schema.claims))
            .means("Where its tokens have what the gateway goes by. Omitted: in the claims of that name.")
        let requireValues = Key(
            "require_values",
            .dictionary(
                key: "CLAIM",
                .either(
                    .text(example: "access"),
                    .list(.text(example: "access"), minimum: 1, maximum: 64)
                ),
                minimum: 1
            )
        )
        .means(
            "Claims, by name or JSON pointer, that its tokens must have with one of these values.",
            example: "{ token_use: access }"
        )
    }

    /// Each but the prefix is the raw value of a ``ClaimMapping/Field``.
    struct ClaimsKeys: KeyTable {
        let subject = Key(ClaimMapping.Field.subject.rawValue, .text(example: "/oid"))
            .means("Instead of `sub`. A token without it is refused.")
        let roles = Key(ClaimMapping.Field.roles.rawValue, Self.places(example: "/realm_access/roles"))
            .means("Instead of `role` and `roles`; of a list all are joined.")
        let rolesPrefix = Key("roles_prefix", .text(example: "shop_"))
            .means("What roles begin with: it is cut off, and roles without it are left out.")
        let scopes = Key(ClaimMapping.Field.scopes.rawValue, Self.places(example: "/scp"))
            .means("Instead of `scope`; of a list all are joined.")
        let email = Key(ClaimMapping.Field.email.rawValue, .text(example: "/emails/0")).means("Instead of `email`.")
        let session = Key(ClaimMapping.Field.session.rawValue, .text(example: "session_id")).means("Instead of `sid`.")
        let audience = Key(ClaimMapping.Field.audience.rawValue, .text(example: "client_id"))
            .means("What `audiences` are compared with, instead of `aud`.")

        private static func places(example: String) -> KeyType<DocumentNode> {
            .either(.text(example: example), .list(.text(example: example), minimum: 1, maximum: 16))
        }
    }

    struct IssuerKeys: KeyTable {
        let url = Key("url", .url(example: "https://shop.example.com"), isRequired: true)
            .means("The `iss` of its tokens.")
        let audience = Key("audience", .text(example: "shop-api"), isRequired: true).means("The `aud` of its tokens.")
        let algorithm = Key("algorithm", .choice(of: [SignatureAlgorithm.rs256, .es256]), isRequired: true)
            .means("What they are signed with.")
        let keysDir = Key("keys_dir", .path(example: "keys/shop"))
            .means(
                "Its keys: every `*.pem`, `*.jwk` and `*.jwks` of a directory; only a `*.pem` signs, and its `kid` is the "
                    + "file's name. Omitted, with the three below: the gateway makes them, and keeps them in the store."
            )
        let key = Key("key", .secret)
            .means(
                "Its private key itself, from the environment: PEM, whose line ends may be written as `\\n`, or a JWK. Of "
                    + "several the first signs, and tokens of the others are still accepted.",
                example: "\"${ISSUER_KEY}\""
            )
        let keyFile = Key("key_file", .path(example: "/run/secrets/issuer.pem"))
            .means("A file with the same, instead; read again when it changes.")
        let keyFiles = Key("key_files", .list(.path(example: "issuer-2027.pem"), minimum: 1, maximum: 16))
            .means("Several such files, instead: the first signs.")
        let basePath = Key("base_path", .text(example: "/api/v1/users"), default: "/")
            .means("Where its endpoints are mounted on the tenant's host.")
        let access = Key("access", .duration(.seconds(1)...day, example: "30m"), default: hour)
            .means("How long an access token lives.")
        let id = Key("id", .duration(.seconds(1)...day), default: hour)
            .means("How long an ID token lives.", example: "10m")
        let refresh = Key("refresh", .duration(.seconds(1)...year), default: day * 30)
            .means("How long a refresh token lives.", example: "14d")
        let singleSignOn = Key("single_sign_on", .singleSignOn(.seconds(60)...year), default: .within(hour * 12))
            .means(
                "How long a browser that has signed in needs no further sign-in for other clients; `off`: each client asks.",
                example: "8h"
            )
        let refreshRotation = Key("refresh_rotation", .choice(RefreshRotation.self), default: .enforce)
            .means(
                "What becomes of a used refresh token. `enforce`: a successor replaces it, and its late use ends the "
                    + "session; `log`: late use is logged and counted only; `off`: it stays the same.",
                example: "log"
            )
        let refreshFormat = Key("refresh_format", .choice(RefreshFormat.self), default: .opaque)
            .means(
                "The form of refresh tokens: `jwt` for those that say whose they are. Both are accepted.",
                example: "jwt"
            )
        let rotateEvery = Key("rotate_every", .duration(hour...year), default: day * 90)
            .means("How long a key that the gateway made signs; longer than a token lives.", example: "30d")
        let clients = Key("clients", .list(.object(Schema.client)), default: [])
            .means(
                "Its OpenID clients.",
                example: "[{ id: shop-mobile, public: true, redirect_uris: [\"https://shop.example.com/callback\"] }]"
            )
        let page = Key("page", .object(Schema.page)).means("How its sign-in page looks.")
    }

    struct PageKeys: KeyTable {
        let name = Key("name", .text(example: "Shop")).means("The app's name for people. Omitted: the tenant's.")
        let color = Key("color", .text(example: "\"#0a7cff\""))
            .means("The app's colour, `#rrggbb`. Omitted: Gatehouse's.")
        let logo = Key("logo", .path(example: "logo.svg"))
            .means("A PNG, JPEG, WebP or SVG of up to 32 KiB, in place of the name's first letter.")
        let texts = Key("texts", .path(example: "texts.yaml"))
            .means(
                "A YAML file of texts by language, page and name, in place of the built-in ones or in other languages."
            )
    }

    struct ClientKeys: KeyTable {
        let id = Key("id", .text(example: "shop-mobile"), isRequired: true).means("`client_id`.")
        let secret = Key("secret", .secret)
            .means(
                "`client_secret` of a client that can keep one, of 16 bytes or more. Either this, keys, or `public: true`."
            )
        let isPublic = Key("public", .boolean, default: false).means("Whether it has no secret (an app, a page).")
        let authMethod = Key("token_endpoint_auth_method", .choice(IssuerClient.AuthMethod.self)).onlyIfGiven()
            .means(
                "How it authenticates. Omitted: with its secret either way, with its keys, or, if it is public, not.",
                example: "private_key_jwt"
            )
        let jwksFile = Key("jwks_file", .path(example: "jwks.json"))
            .means("A JWK Set with the keys that the client signs its assertions with (`private_key_jwt`).")
        let jwksURL = Key("jwks_url", .url(example: "https://partner.example.com/jwks.json"))
            .means("Where the client publishes that set.")
        let requirePKCE = Key("require_pkce", .boolean).onlyIfGiven()
            .means(
                "Whether a client with credentials must use PKCE, which is recommended. Public clients always must.",
                example: "true"
            )
        let redirectURIs = Key(
            "redirect_uris",
            .list(.text(example: "https://shop.example.com/callback")),
            isRequired: true
        )
        .means("Where codes may be sent, to the letter.")
        let postLogoutRedirectURIs = Key(
            "post_logout_redirect_uris",
            .list(.text(example: "https://shop.example.com/")),
            default: []
        )
        .means("Where a logout may lead, to the letter.")
        let frontChannelLogoutURI = Key(
            "frontchannel_logout_uri",
            .text(example: "https://shop.example.com/signed-out")
        )
        .means("Loaded in a hidden frame when people sign out at the issuer.")
        let frontChannelLogoutSessionRequired = Key("frontchannel_logout_session_required", .boolean, default: false)
            .means("Whether that address is given `iss` and `sid`.")
        let scopes = Key("scopes", .list(.text(example: "openid")), default: ["openid"])
            .means("What it may ask for.", example: "[openid, email]")
        let dpopBound = Key("dpop_bound", .boolean, default: false)
            .means("Whether it gets tokens only with a DPoP proof, bound to its key. Needs the tenant's `dpop`.")
        let certificateBound = Key("certificate_bound", .boolean, default: false)
            .means(
                "Whether its tokens are bound to the TLS certificate that it comes with. Needs `tls.client_ca_file`."
            )
        let backChannelLogout = Key(
            "backchannel_logout_uri",
            .url(example: "https://shop.example.com/backchannel-logout")
        )
        .means("Where it is told that a session of its has ended, in a logout token. Omitted: nowhere.")
        let backChannelLogoutSession = Key("backchannel_logout_session_required", .boolean, default: false)
            .means("Whether every logout token has to name the session (`sid`).")
    }
}

/// The key of a trusted issuer that says where its signing keys are.
enum KeySourceName: String, CaseIterable {
    case secret
    case secretFile = "secret_file"
    case publicKeyFile = "public_key_file"
    case keySetFile = "jwks_file"
    case keySetURL = "jwks_url"
    case discovery, preset
}
