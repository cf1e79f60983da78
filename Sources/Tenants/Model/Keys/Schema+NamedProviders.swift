extension Schema {
    static let namedProvider = NamedProviderKeys()
    static let oauth2Service = OAuth2ServiceKeys()
    static let namedExchange = ExchangeKeys(path: "/api/auth/company", clientID: "shop-ios")
    static let who = WhoKeys()

    struct NamedProviderKeys: KeyTable {
        let preset = Key("preset", .choice(SignInPreset.self))
            .means(
                "A known provider, see [providers](providers.md#sign-in); what is given beside it replaces what it knows.",
                example: "github"
            )
        let arguments = SignInPreset.askedArguments.map { argument in
            Key(argument.rawValue, .text(example: argument.example)).means(argument.meaningForSignIn)
        }
        let issuer = Key("issuer", .url(example: "https://id.example.com/realms/shop"))
            .means(
                "The provider's name in its tokens, to the letter; its addresses are found by its OpenID metadata. Needed "
                    + "unless there is a preset or `oauth2`."
            )
        let metadataURL = Key(
            "metadata_url",
            .url(example: "https://id.example.com/realms/shop/.well-known/openid-configuration")
        )
        .means("Where the metadata is. Omitted: `/.well-known/openid-configuration` below the issuer.")
        let jwksURL = Key("jwks_url", .url(example: "https://id.example.com/realms/shop/certs"))
            .means("The provider's keys. Omitted: by its metadata.")
        let oauth2 = Key("oauth2", .object(Schema.oauth2Service))
            .means("The addresses of a provider with OAuth 2 alone, instead of `issuer`.")
        let clientID = Key("client_id", .text(example: "gatehouse"), isRequired: true)
            .means("The gateway's client at the provider.")
        let clientSecret = Key("client_secret", .secret)
            .means("Its secret. Omitted: a public client, which has PKCE alone.")
        let clientProof = Key("token_endpoint_auth_method", .choice(NamedProvider.ClientProof.self))
            .means(
                "How the secret is sent. Omitted: as the metadata allows, `client_secret_basic` first; with `oauth2` "
                    + "`client_secret_post`.",
                example: "client_secret_post"
            )
        let scopes = Key("scopes", .list(.text(example: "openid"), minimum: 1, maximum: 32))
            .means(
                "What is asked for. Omitted: the preset's, or `[openid, email, profile]`.",
                example: "[openid, email, groups]"
            )
        let label = Key("label", .text(example: "Example Ltd"))
            .means("Its name after `Sign in with` on the hosted page. Omitted: the preset's, or its key.")
        let subject = Key("subject", .text(example: "/id"))
            .means("Where the user's identifier is, which never changes. Omitted: the preset's, or `sub`.")
        let email = Key("email", .text(), default: "email")
            .means("Where the e-mail is, by name or JSON pointer.", example: "/mail")
        let emailVerified = Key("email_verified", .text(example: "/verified"))
            .means(
                "The claim that says whether the e-mail is verified, or `always` or `never`. Omitted: the preset's, or "
                    + "`email_verified`; with `oauth2` `never`. An unverified e-mail links no accounts and lets nobody in."
            )
        let fullName = Key("name", .text(), default: "name").means(
            "Where the person's name is.",
            example: "/display_name"
        )
        let claims = Key("claims", .dictionary(key: "CLAIM", .text(example: "/realm_access/roles")))
            .means(
                "Claims of the session, and where the provider has them.",
                example: "{ role: /realm_access/roles/0 }"
            )
        let exchange = Key("exchange", .object(Schema.namedExchange))
            .means("Where apps post the provider's ID tokens: `{ id_token, nonce? }`.")
    }

    struct OAuth2ServiceKeys: KeyTable {
        let authorizeURL = Key(
            "authorize_url",
            .url(example: "https://git.example.com/oauth/authorize"),
            isRequired: true
        )
        .means("Where browsers sign in.")
        let tokenURL = Key("token_url", .url(example: "https://git.example.com/oauth/token"), isRequired: true)
            .means("Where codes are exchanged.")
        let userinfoURL = Key("userinfo_url", .url(example: "https://git.example.com/api/user"), isRequired: true)
            .means("Who an access token is for, in JSON.")
        let emailsURL = Key("emails_url", .url(example: "https://git.example.com/api/user/emails"))
            .means(
                "A list of the user's e-mails as GitHub gives it: `[{ email, primary, verified }]`. The primary one counts."
            )
    }

    struct WhoKeys: KeyTable {
        let emailDomains = Key("email_domains", .list(.text(example: "example.com"), minimum: 1, maximum: 1000))
            .means("Whose verified e-mail is in one of these domains.")
        let emailsFile = Key("emails_file", .path(example: "allowed.txt"))
            .means("Whose verified e-mail is a line of this file, which is read again whenever it changes.")
        let groups = Key("groups", .list(.text(example: "staff"), minimum: 1, maximum: 1000))
            .means("Who also has one of these groups at the provider.")
        let groupsClaim = Key("groups_claim", .text(), default: "groups")
            .means("Where the groups are, by name or JSON pointer.", example: "/realm_access/roles")
    }
}
