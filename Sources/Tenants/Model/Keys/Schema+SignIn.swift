extension Schema {
    static let signIn = SignInKeys()
    /// The keys that the providers' sections have in common.
    static let exchange = ExchangeKeys(path: "/api/auth/apple", clientID: "com.example.app")
    static let apple = AppleKeys()
    static let appleWeb = AppleWebKeys()
    static let google = GoogleKeys()
    static let googleWeb = GoogleWebKeys()
    static let webSignIn = WebSignInKeys()
    static let unauthenticated = UnauthenticatedKeys()
    static let sessionCookies = SessionCookiesKeys()
    static let endpoints = EndpointsKeys()
    static let passkeys = PasskeysKeys()
    static let deleteAccount = DeleteAccountKeys()
    static let deletionCall = DeletionCallKeys()
    static let accounts = AccountsKeys()

    struct SignInKeys: KeyTable {
        let apple = Key("apple", .object(Schema.apple)).means("Sign in with Apple.")
        let google = Key("google", .object(Schema.google)).means("Sign in with Google.")
        let providers = Key("providers", .dictionary(key: "PROVIDER", .object(Schema.namedProvider)))
            .means(
                "Other identity providers by names of your choice: any with OpenID, or with OAuth 2.",
                example: "{ github: { preset: github, client_id: Iv1.0123456789abcdef, client_secret: \"${SECRET}\" } }"
            )
        let who = Key("who", .object(Schema.who)).onlyIfGiven()
            .means("Who may sign in. Omitted: everyone whom a provider signs in.")
        let web = Key("web", .object(Schema.webSignIn)).means("Sign-in in a browser, with cookies.")
        let unauthenticated = Key("unauthenticated", .object(Schema.unauthenticated)).onlyIfGiven()
            .means("What clients without a good token get.")
        let endpoints = Key("endpoints", .object(Schema.endpoints))
            .means("Session endpoints at the tenant's own paths.")
        let accountPage = Key("account_page", .text(example: "/account"))
            .means("Where people who signed in by `web` see their sessions, logins and passkeys, and end them.")
        let passkeys = Key("passkeys", .object(Schema.passkeys))
            .means("Passkeys, made on the account page, which sign in without a provider.")
        let deleteAccount = Key("delete_account", .object(Schema.deleteAccount))
            .means("Lets people delete their own accounts: here, at Apple and Google, and at the backend.")
    }

    struct ExchangeKeys: KeyTable {
        let path: Key<String?>
        let clientIDs: Key<[String]?>
        let then = Key("then", .choice(SignIn.Exchange.self), isRequired: true)
            .means("`forward` sends the checked request on; `issue` answers with tokens of the built-in issuer.")

        /// - Parameters: Examples.
        init(path: String, clientID: String) {
            self.path = Key("path", .text(example: path), isRequired: true)
                .means("Where the app posts its provider token.")
            self.clientIDs = Key("client_ids", .list(.text(example: clientID), minimum: 1), isRequired: true)
                .means("The apps that the token may be for.")
        }
    }

    struct AppleKeys: KeyTable {
        let exchange = Schema.exchange
        let nonce = Key("nonce", .choice(AppleSignIn.Nonce.self), default: .required)
            .means("Whether the token must be bound to a nonce.")
        let legacyUserIdentifier = Key("legacy_user_identifier", .choice(AppleSignIn.LegacyBody.self), default: .deny)
            .means("What is done with a body that has only `userIdentifier`, which proves nothing.")
        let notifications = Key("notifications", .text(example: "/apple/events"))
            .means("Where Apple posts consent-revoked and account-delete events.")
        let web = Key("web", .object(Schema.appleWeb)).means("The service for the hosted sign-in page.")
        let issuer = Key("issuer", .text(), default: "https://appleid.apple.com")
            .means("The `iss` of Apple's tokens.", example: "http://127.0.0.1:9010/apple")
        let jwksURL = Key("jwks_url", .url(), default: "https://appleid.apple.com/auth/keys")
            .means("Apple's keys.", example: "http://127.0.0.1:9010/apple/keys")
        let authorizeURL = Key("authorize_url", .url(), default: "https://appleid.apple.com/auth/authorize")
            .means("Where browsers sign in.", example: "http://127.0.0.1:9010/apple/authorize")
        let tokenURL = Key("token_url", .url(), default: "https://appleid.apple.com/auth/token")
            .means("Where codes are exchanged.", example: "http://127.0.0.1:9010/apple/token")
        let revokeURL = Key("revoke_url", .url(), default: "https://appleid.apple.com/auth/revoke")
            .means(
                "Where the tokens of deleted accounts are taken back.",
                example: "http://127.0.0.1:9010/apple/revoke"
            )
    }

    struct AppleWebKeys: KeyTable {
        let clientID = Key("client_id", .text(example: "com.example.web"), isRequired: true).means("The Services ID.")
        let teamID = Key("team_id", .text(example: "TEAM123456"), isRequired: true).means("The developer team.")
        let keyID = Key("key_id", .text(example: "KEY1234567"), isRequired: true).means("The key's name at Apple.")
        let privateKeyFile = Key("private_key_file", .path(example: "apple.p8"), isRequired: true)
            .unless("private_key")
            .means("The `.p8` key that Apple gave out. Either this or `private_key`.")
        let privateKey = Key("private_key", .secret)
            .means(
                "The key itself, from the environment; its line ends may be written as `\\n`.",
                example: "\"${APPLE_KEY}\""
            )
    }

    struct GoogleKeys: KeyTable {
        let exchange = ExchangeKeys(path: "/api/auth/google", clientID: "shop-ios.apps.example")
        let web = Key("web", .object(Schema.googleWeb)).means("The client for the hosted sign-in page.")
        let issuer = Key("issuer", .text(), default: "https://accounts.google.com")
            .means("The `iss` of Google's tokens.", example: "http://127.0.0.1:9010/google")
        let jwksURL = Key("jwks_url", .url(), default: "https://www.googleapis.com/oauth2/v3/certs")
            .means("Google's keys.", example: "http://127.0.0.1:9010/google/keys")
        let userinfoURL = Key("userinfo_url", .url(), default: "https://openidconnect.googleapis.com/v1/userinfo")
            .means("Who an access token is for.", example: "http://127.0.0.1:9010/google/userinfo")
        let tokeninfoURL = Key("tokeninfo_url", .url(), default: "https://oauth2.googleapis.com/tokeninfo")
            .means("Which app an access token is for.", example: "http://127.0.0.1:9010/google/tokeninfo")
        let authorizeURL = Key("authorize_url", .url(), default: "https://accounts.google.com/o/oauth2/v2/auth")
            .means("Where browsers sign in.", example: "http://127.0.0.1:9010/google/authorize")
        let tokenURL = Key("token_url", .url(), default: "https://oauth2.googleapis.com/token")
            .means("Where codes are exchanged.", example: "http://127.0.0.1:9010/google/token")
        let revokeURL = Key("revoke_url", .url(), default: "https://oauth2.googleapis.com/revoke")
            .means(
                "Where the tokens of deleted accounts are taken back.",
                example: "http://127.0.0.1:9010/google/revoke"
            )
    }

    struct GoogleWebKeys: KeyTable {
        let clientID = Key("client_id", .text(example: "web.apps.example"), isRequired: true).means("The web client.")
        let clientSecret = Key("client_secret", .secret, isRequired: true).means("Its secret.")
    }

    struct UnauthenticatedKeys: KeyTable {
        let navigations = Key("navigations", .choice(UnauthenticatedNavigation.self), default: .refuse)
            .means("A browser that opens a page: `sign_in` leads it to `login` of `web`, and back to the page then.")
        let others = Key("others", .choice(UnauthenticatedRequest.self))
            .means("Everyone else.")
    }

    struct WebSignInKeys: KeyTable {
        let login = Key("login", .text(example: "/api/auth/login"), isRequired: true).means("Starts a sign-in.")
        let callback = Key("callback", .text(example: "/api/auth/callback"), isRequired: true)
            .means("Where the provider returns to; with `providers`, each below this path at its name.")
        let provider = Key("provider", .choice(WebProvider.self))
            .means("Who signs in. Needed, with `client_id`, unless there are `providers`: then all of the tenant's.")
        let clientID = Key("client_id", .text(example: "web.apps.example"))
            .means("The client at the provider.")
        let clientSecret = Key("client_secret", .secret)
            .means("Its secret at Google; at Apple the key of `apple.web` signs.")
        let after = Key("after", .text(example: "https://app.example.com/"), isRequired: true)
            .means("Where the browser goes then: a whole URL, whose origin is the only one that a sign-in leads to.")
        let cookies = Key("cookies", .object(Schema.sessionCookies), isRequired: true)
            .means("The cookies that are set.")
    }

    struct SessionCookiesKeys: KeyTable {
        let access = Key("access", .text(example: "access_token"), isRequired: true).means("The access token's cookie.")
        let refresh = Key("refresh", .text(example: "refresh_token"), isRequired: true)
            .means("The refresh token's cookie.")
        let domain = Key("domain", .text(example: "example.com"))
            .means("The cookies are sent to this host and all below it. Omitted: only to the host that sets them.")
        let sameSite = Key("same_site", .choice(CookieRules.SameSite.self), default: .lax)
            .means("Whether requests that pages of other sites cause have the cookies: `none` for all of them.")
        let prefix = Key("prefix", .choice(CookieRules.Prefix.self))
            .means(
                "Put before both names; browsers hold such cookies to rules. The cookies have it wherever they are named."
            )
    }

    struct EndpointsKeys: KeyTable {
        let refresh = Key("refresh", .text(example: "/api/auth/refresh")).means("Answers with a new pair of tokens.")
        let validate = Key("validate", .text(example: "/api/auth/validate")).means("Answers with the user.")
        let me = Key("me", .text(example: "/api/auth/me")).means("Answers with the user.")
        let logout = Key("logout", .text(example: "/api/auth/logout")).means("Ends this session.")
    }

    struct PasskeysKeys: KeyTable {
        let relyingParty = Key("rp_id", .text(example: "shop.example.com"), isRequired: true)
            .means("The domain they are for: the tenant's host, or one above it. Passkeys end with it.")
        let name = Key("name", .text(example: "Shop"), isRequired: true).means("Shown when one is made.")
        let confirm = Key("confirm", .duration(day...year, example: "90d"))
            .means(
                "How recently a provider must have signed the person in for a passkey to do. Omitted: 30d with `who`, else "
                    + "once is enough."
            )
    }

    struct DeleteAccountKeys: KeyTable {
        let path = Key("path", .text(example: "DELETE /api/account"), isRequired: true)
            .means(
                "The request that deletes its sender's account: `DELETE` or `POST` and a path. A path alone: `DELETE`."
            )
        let call = Key("call", .object(Schema.deletionCall))
            .means("What the backend is told of each deleted account. Omitted: nothing.")
    }

    struct DeletionCallKeys: KeyTable {
        let method = Key("method", .text(), default: "DELETE").means("The request's method.", example: "POST")
        let path = Key("path", .text(example: "\"/internal/users/{subject}\""), isRequired: true)
            .means("A path on the backend, with `{subject}` where the account's subject belongs.")
    }

    struct AccountsKeys: KeyTable {
        let linkByEmail = Key("link_by_email", .boolean, default: false)
            .means("Whether a verified e-mail joins Apple and Google sign-ins.")
        let hook = Key("hook", .url(example: "http://127.0.0.1:9001/accounts"))
            .means("Lets the backend decide: verified claims in, subject, role and claims out.")
    }
}
