import Tenants
import TestSupport
import Testing
import Verification

/// A provider's preset, and a token as the provider documents it.
struct ProviderSample: Sendable, CustomTestStringConvertible {
    var name: String
    /// The keys of the entry of `issuers` beside `preset`.
    var entry: String
    var issuer: String
    var keySet: String
    var algorithm = SignatureAlgorithm.rs256
    /// The claims of a token, without `iss` and times.
    var claims: String
    var subject: String
    var roles: [String]
    var scopes: [String] = []
    var email: String?
    var session: String?

    var testDescription: String { name }

    var yaml: String { "[{ preset: \(name), \(entry) }]" }

    static let all = [
        // Server Administration Guide, "Protocol mappers"; an audience comes from an audience mapper.
        ProviderSample(
            name: "keycloak",
            entry: "domain: id.test, realm: shop, audiences: [shop-api]",
            issuer: "https://id.test/realms/shop",
            keySet: "https://id.test/realms/shop/protocol/openid-connect/certs",
            claims: """
                {"jti":"onrtac:5d6a","aud":["shop-api","account"],"sub":"7ddaf89f-69eb-4ecf-a9ca-acba11211986",
                "typ":"Bearer","azp":"shop-web","sid":"f0a6c6c9","acr":"1","allowed-origins":["https://shop.test"],
                "realm_access":{"roles":["offline_access","admin","uma_authorization"]},
                "resource_access":{"account":{"roles":["manage-account","view-profile"]}},
                "scope":"openid email profile","email_verified":true,"preferred_username":"ann","email":"ann@shop.test"}
                """,
            subject: "7ddaf89f-69eb-4ecf-a9ca-acba11211986",
            roles: ["offline_access", "admin", "uma_authorization"],
            scopes: ["openid", "email", "profile"],
            email: "ann@shop.test",
            session: "f0a6c6c9"
        ),
        // "Access Token Profiles" and "Enable Role-Based Access Control for APIs".
        ProviderSample(
            name: "auth0",
            entry: "domain: shop.eu.auth0.com, namespace: 'https://shop.test/', audiences: ['https://api.shop.test']",
            issuer: "https://shop.eu.auth0.com/",
            keySet: "https://shop.eu.auth0.com/.well-known/jwks.json",
            claims: """
                {"sub":"auth0|656e7f","aud":["https://api.shop.test","https://shop.eu.auth0.com/userinfo"],
                "azp":"my_client_id","scope":"openid profile read:orders","permissions":["read:orders","delete:orders"],
                "https://shop.test/roles":["admin"],"https://shop.test/email":"ann@shop.test"}
                """,
            subject: "auth0|656e7f",
            roles: ["admin", "read:orders", "delete:orders"],
            scopes: ["openid", "profile", "read:orders"],
            email: "ann@shop.test"
        ),
        // "Access token claims reference", of version 2.0.
        ProviderSample(
            name: "entra",
            entry: "tenant: AAAABBBB-0000-cccc-1111-dddd2222eeee, audiences: [00001111-aaaa-2222-bbbb-3333cccc4444]",
            issuer: "https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0",
            keySet:
                "https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/discovery/v2.0/keys",
            claims: """
                {"aud":"00001111-aaaa-2222-bbbb-3333cccc4444","aio":"ATQAy/8TAAAA","azp":"00001111-aaaa-2222",
                "azpacr":"0","name":"Ann","oid":"690222be-ff1a-4d56-abd1-7e4f7d38e474","preferred_username":"ann@shop.test",
                "rh":"I","scp":"Orders.Read Orders.Write","roles":["Admin"],"sub":"HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ",
                "tid":"aaaabbbb-0000-cccc-1111-dddd2222eeee","uti":"fqiBqXLPj0eQa82S-IYFAA","ver":"2.0"}
                """,
            subject: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
            roles: ["Admin"],
            scopes: ["Orders.Read", "Orders.Write"]
        ),
        // "Understanding the access token": a client and no audience.
        ProviderSample(
            name: "cognito",
            entry: "pool: us-west-2_Example, audiences: [1example23456789]",
            issuer: "https://cognito-idp.us-west-2.amazonaws.com/us-west-2_Example",
            keySet: "https://cognito-idp.us-west-2.amazonaws.com/us-west-2_Example/.well-known/jwks.json",
            claims: """
                {"sub":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee","cognito:groups":["admin","staff"],"version":2,
                "client_id":"1example23456789","origin_jti":"o","event_id":"e","token_use":"access",
                "scope":"phone openid profile resourceserver.1/appclient2 email","jti":"j","username":"ann"}
                """,
            subject: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            roles: ["admin", "staff"],
            scopes: ["phone", "openid", "profile", "resourceserver.1/appclient2", "email"]
        ),
        // "OpenID Connect & OAuth 2.0", access token of a custom authorization server.
        ProviderSample(
            name: "okta",
            entry: "domain: shop.okta.com, audiences: ['api://default']",
            issuer: "https://shop.okta.com/oauth2/default",
            keySet: "https://shop.okta.com/oauth2/default/v1/keys",
            claims: """
                {"ver":1,"jti":"AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE","aud":"api://default",
                "sub":"ann@shop.test","cid":"nmdP1fcyvdVO11AL7ECm","uid":"00ujmkLgagxeRrAg20g3",
                "scp":["openid","orders"],"groups":["Everyone","Shop Admins"]}
                """,
            subject: "ann@shop.test",
            roles: ["Everyone", "Shop Admins"],
            scopes: ["openid", "orders"]
        ),
        // "Verify ID tokens using a third-party JWT library".
        ProviderSample(
            name: "firebase",
            entry: "project: shop-4711",
            issuer: "https://securetoken.google.com/shop-4711",
            keySet: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
            claims: """
                {"aud":"shop-4711","auth_time":1799990000,"user_id":"gT3nFqKx","sub":"gT3nFqKx","role":"admin",
                "email":"ann@shop.test","email_verified":true,
                "firebase":{"identities":{"email":["ann@shop.test"]},"sign_in_provider":"password"}}
                """,
            subject: "gT3nFqKx",
            roles: ["admin"],
            email: "ann@shop.test"
        ),
        // "JWT Claims Reference".
        ProviderSample(
            name: "supabase",
            entry: "project: abcdefghijklmnopqrst",
            issuer: "https://abcdefghijklmnopqrst.supabase.co/auth/v1",
            keySet: "https://abcdefghijklmnopqrst.supabase.co/auth/v1/.well-known/jwks.json",
            algorithm: .es256,
            claims: """
                {"aal":"aal1","amr":[{"method":"password","timestamp":1799990000}],
                "app_metadata":{"provider":"email","providers":["email"],"roles":["editor"]},"aud":"authenticated",
                "email":"ann@shop.test","phone":"","role":"authenticated","user_role":"admin","is_anonymous":false,
                "session_id":"123e4567-e89b-12d3-a456-426614174000","sub":"11111111-e89b-12d3-a456-426614174000",
                "user_metadata":{"name":"Ann","roles":["owner"],"role":"owner"}}
                """,
            subject: "11111111-e89b-12d3-a456-426614174000",
            roles: ["authenticated", "admin", "editor"],
            email: "ann@shop.test",
            session: "123e4567-e89b-12d3-a456-426614174000"
        ),
        // "Session tokens", version 2.
        ProviderSample(
            name: "clerk",
            entry: "domain: clerk.shop.test, audiences: ['https://shop.test']",
            issuer: "https://clerk.shop.test",
            keySet: "https://clerk.shop.test/.well-known/jwks.json",
            claims: """
                {"azp":"https://shop.test","fva":[7,-1],"jti":"1234567890","sid":"sess_123","sub":"user_123","v":2,
                "pla":"o:pro","fea":"o:dashboard","sts":"active",
                "o":{"id":"org_123","slg":"shop","rol":"admin","per":"read,manage","fpm":"3"}}
                """,
            subject: "user_123",
            roles: ["admin"],
            session: "sess_123"
        ),
        // "Claims": roles are the names of an object.
        ProviderSample(
            name: "zitadel",
            entry: "domain: shop-1.zitadel.cloud, project: '344374183645413380'",
            issuer: "https://shop-1.zitadel.cloud",
            keySet: "https://shop-1.zitadel.cloud/oauth/v2/keys",
            claims: """
                {"sub":"345377791925026818","aud":["344374183645413380","344374183645413381"],"jti":"V2_1-at_2",
                "client_id":"shop-web","urn:zitadel:iam:org:project:roles":{"user":{"id1":"acme.test"}},
                "urn:zitadel:iam:org:project:344374183645413380:roles":{"admin":{"id1":"acme.test","id2":"b.test"}}}
                """,
            subject: "345377791925026818",
            roles: ["user", "admin"]
        ),
        // "OAuth 2.0 provider", with the scope mapping "profile".
        ProviderSample(
            name: "authentik",
            entry: "domain: 'id.test:9443', application: shop, audiences: [d3adb33f]",
            issuer: "https://id.test:9443/application/o/shop/",
            keySet: "https://id.test:9443/application/o/shop/jwks/",
            claims: """
                {"sub":"b0a1c2","aud":"d3adb33f","auth_time":1799990000,"acr":"goauthentik.io/providers/oauth2/default",
                "amr":["pwd"],"sid":"5e5510","email":"ann@shop.test","email_verified":true,"name":"Ann",
                "preferred_username":"ann","groups":["shop admins","authentik Admins"],"azp":"d3adb33f","uid":"u",
                "scope":"openid profile email"}
                """,
            subject: "b0a1c2",
            roles: ["shop admins", "authentik Admins"],
            scopes: ["openid", "profile", "email"],
            email: "ann@shop.test",
            session: "5e5510"
        ),
    ]

    static func named(_ name: String) throws -> ProviderSample {
        try #require(all.first { $0.name == name })
    }
}

extension ProviderSample {
    private static let keys = Result {
        (rsa: try SigningKey.generate(.rsa(bits: 2048)), p256: try SigningKey.generate(.p256))
    }

    private var key: SigningKey {
        get throws { try algorithm == .es256 ? Self.keys.get().p256 : Self.keys.get().rsa }
    }

    /// The keys that the provider publishes.
    var published: KeySet {
        get throws { try KeySet(jwk: try #require(try key.publicJWK(algorithm: algorithm))) }
    }

    /// A token as the provider signs it.
    ///
    /// - Parameter changes: Claims that differ; nil removes one.
    func token(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> String {
        var claims = try #require(try JSONParser.parse(Array(claims.utf8)).object)
        claims["iss"] = .string(issuer)
        claims["iat"] = .number(JSONNumber(Int(SampleTenant.now.seconds)))
        claims["exp"] = .number(JSONNumber(Int(SampleTenant.now.seconds) + 300))
        for (name, value) in changes { claims[name] = value }
        return try TokenSigner(key, algorithm: algorithm, keyID: key.thumbprint).sign(claims, header: ["typ": "JWT"])
    }
}
