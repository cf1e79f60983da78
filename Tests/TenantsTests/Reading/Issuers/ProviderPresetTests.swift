import TestSupport
import Testing
import Verification

@testable import Tenants

/// Identity providers by name: what they are known by, and tokens in the form that they document.
struct ProviderPresetTests {
    private static func authentication(_ issuers: String) throws -> Authentication {
        let result = Sample.read(Sample.tenant(issuers: issuers))
        #expect(result.errors.isEmpty, "\(result.errors)")
        return try #require(result.configuration?.tenants.first?.authenticate)
    }

    /// A verifier by tenants.yaml, with the provider's keys as fetched.
    private static func verifier(_ sample: ProviderSample, _ issuers: String? = nil) throws -> TokenVerifier {
        let policy = try authentication(issuers ?? sample.yaml).policy
        let verifier = TokenVerifier(policy)
        for index in policy.issuers.indices { verifier.use(try sample.published, ofIssuer: index) }
        return verifier
    }

    private static func verify(
        _ sample: ProviderSample,
        _ changes: KeyValuePairs<String, JSONValue?> = [:],
        by issuers: String? = nil
    ) throws -> Principal {
        try verifier(sample, issuers).verify(Array(sample.token(changes).utf8), at: SampleTenant.now)
    }

    private static func refusal(
        _ sample: ProviderSample,
        _ changes: KeyValuePairs<String, JSONValue?>,
        by issuers: String? = nil
    ) throws -> VerificationFailure.Code? {
        let verifier = try verifier(sample, issuers)
        let token = try sample.token(changes)
        do throws(VerificationFailure) {
            _ = try verifier.verify(Array(token.utf8), at: SampleTenant.now)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func everyPresetHasASample() {
        #expect(ProviderSample.all.map(\.name) == ProviderPreset.all.map(\.name))
    }

    @Test(arguments: ProviderSample.all)
    func presetKnowsIssuerAndKeys(sample: ProviderSample) throws {
        let authentication = try Self.authentication(sample.yaml)
        #expect(authentication.policy.issuers.first?.issuer == sample.issuer)
        let source = KeySource.remote(RemoteKeySource(location: .keySet(url: sample.keySet)))
        #expect(authentication.keySources.allSatisfy { $0 == source })
        #expect(authentication.policy.issuers.allSatisfy { $0.keys == nil && !$0.audiences.isEmpty })
        #expect(authentication.issuerLines.count == authentication.policy.issuers.count)
        #expect(Sample.read(Sample.tenant(issuers: sample.yaml)).diagnostics.isEmpty)
    }

    @Test(arguments: ProviderSample.all)
    func documentedTokenIsUnderstood(sample: ProviderSample) throws {
        let principal = try Self.verify(sample)
        #expect(principal.subject == sample.subject && principal.claimText("sub") == sample.subject)
        #expect(principal.roles == sample.roles)
        #expect(principal.scopes == sample.scopes)
        #expect(principal.claimText("email") == sample.email)
        #expect(principal.sessionID == sample.session)
    }

    @Test(arguments: ProviderSample.all)
    func tokenForAnotherAppOrOfAnotherIssuerIsRefused(sample: ProviderSample) throws {
        let strange: KeyValuePairs<String, JSONValue?> = [
            "aud": "other", "client_id": "other", "azp": "https://other.test",
        ]
        #expect(try Self.refusal(sample, strange) == .wrongAudience)
        #expect(try Self.refusal(sample, ["aud": nil, "client_id": nil, "azp": nil]) == .wrongAudience)
        #expect(try Self.refusal(sample, ["iss": .string(sample.issuer + "x")]) == .unknownIssuer)
    }

    /// Without its roles a token has none, whatever else it says.
    @Test(arguments: ProviderSample.all.filter { $0.name != "firebase" && $0.name != "supabase" })
    func rolesOfOtherClaimsDoNotCount(sample: ProviderSample) throws {
        let principal = try Self.verify(
            sample,
            [
                "realm_access": nil, "permissions": nil, "https://shop.test/roles": nil, "cognito:groups": nil,
                "groups": nil, "o": nil, "urn:zitadel:iam:org:project:roles": nil, "role": "root",
                "urn:zitadel:iam:org:project:344374183645413380:roles": nil,
                "roles": sample.name == "entra" ? nil : ["root"],
            ]
        )
        #expect(principal.roles.isEmpty && principal.claimText("role") == nil && principal.claimText("roles") == nil)
    }

    @Test func idTokensOfKeycloakAndCognitoAreRefused() throws {
        let keycloak = try ProviderSample.named("keycloak")
        #expect(try Self.refusal(keycloak, ["typ": "ID"]) == .wrongValue)
        #expect(try Self.refusal(keycloak, ["typ": "Refresh"]) == .wrongValue)
        #expect(try Self.refusal(keycloak, ["typ": "DPoP"]) == nil)
        let cognito = try ProviderSample.named("cognito")
        let idToken: KeyValuePairs<String, JSONValue?> = [
            "token_use": "id", "aud": "1example23456789", "client_id": nil,
        ]
        #expect(try Self.refusal(cognito, idToken) == .wrongValue)
        let taken =
            "[{ preset: cognito, \(cognito.entry), claims: { audience: aud }, require_values: { token_use: id } }]"
        #expect(try Self.refusal(cognito, idToken, by: taken) == nil)
        #expect(try Self.refusal(cognito, [:], by: taken) == .wrongValue)
    }

    @Test func bothVersionsOfEntraAreTaken() throws {
        let entra = try ProviderSample.named("entra")
        let old: JSONValue = "https://sts.windows.net/aaaabbbb-0000-cccc-1111-dddd2222eeee/"
        let principal = try Self.verify(entra, ["iss": old, "ver": "1.0", "appid": "a", "azp": nil])
        #expect(principal.subject == entra.subject && principal.roles == ["Admin"])
        #expect(try Self.refusal(entra, ["oid": nil]) == .missingClaim)
        let pairwise = "[{ preset: entra, \(entra.entry), claims: { subject: sub } }]"
        #expect(try Self.verify(entra, ["oid": nil], by: pairwise).subject?.hasPrefix("HKZ") == true)
        let other: JSONValue = "https://login.microsoftonline.com/99999999-0000-cccc-1111-dddd2222eeee/v2.0"
        #expect(try Self.refusal(entra, ["iss": other]) == .unknownIssuer)
    }

    @Test func pendingSessionOfClerkIsRefused() throws {
        let clerk = try ProviderSample.named("clerk")
        #expect(try Self.refusal(clerk, ["sts": "pending"]) == .wrongValue)
        #expect(try Self.refusal(clerk, ["sts": nil]) == nil)
        let first = try Self.verify(clerk, ["o": nil, "v": nil, "org_id": "org_123", "org_role": "org:admin"])
        #expect(first.roles == ["org:admin"])
    }

    /// Users write their own `user_metadata`.
    @Test func supabaseUsersCannotGiveThemselvesRoles() throws {
        let supabase = try ProviderSample.named("supabase")
        #expect(try !Self.verify(supabase).roles.contains("owner"))
        #expect(try Self.refusal(supabase, ["aud": "anon"]) == .wrongAudience)
    }

    @Test func formerSecretOfSupabaseMayStandInForItsKeys() throws {
        let supabase = try ProviderSample.named("supabase")
        let issuers = "[{ preset: supabase, \(supabase.entry), algorithms: [HS256], secret: \(Sample.secret) }]"
        let authentication = try Self.authentication(issuers)
        #expect(authentication.keySources == [.inline])
        #expect(authentication.policy.issuers.map(\.algorithms) == [[.hs256]])
        #expect(authentication.policy.issuers.first?.keys?.keys.count == 1)
        #expect(authentication.policy.issuers.first?.mapping?.places[.session]?.map(\.text) == ["session_id"])
    }

    @Test func zitadelRolesMayBeAListOfObjects() throws {
        let zitadel = try ProviderSample.named("zitadel")
        let roles: JSONValue = [["admin": ["id1": "acme.test"]], ["user": ["id2": "b.test"]]]
        let principal = try Self.verify(
            zitadel,
            [
                "urn:zitadel:iam:org:project:roles": roles,
                "urn:zitadel:iam:org:project:344374183645413380:roles": nil,
            ]
        )
        #expect(principal.roles == ["admin", "user"])
    }

    @Test func firebaseClaimThatIsTrueIsARole() throws {
        let firebase = try ProviderSample.named("firebase")
        let issuers = "[{ preset: firebase, project: shop-4711, claims: { roles: [admin, moderator] } }]"
        let principal = try Self.verify(firebase, ["role": nil, "admin": true, "moderator": false], by: issuers)
        #expect(principal.roles == ["admin"])
        #expect(try Self.refusal(firebase, ["sub": ""]) == .missingClaim)
    }

    @Test func givenKeysReplaceThoseOfThePreset() throws {
        let issuers = """
            [{ preset: keycloak, issuer: 'http://localhost:8080/realms/shop', audiences: [a], algorithms: [ES256], \
            claims: { roles: [/realm_access/roles, /resource_access/shop/roles], roles_prefix: shop_, audience: azp }, \
            require_values: { typ: Bearer } }]
            """
        let authentication = try Self.authentication(issuers)
        let policy = try #require(authentication.policy.issuers.first)
        #expect(policy.issuer == "http://localhost:8080/realms/shop" && policy.algorithms == [.es256])
        let url = "http://localhost:8080/realms/shop/protocol/openid-connect/certs"
        #expect(authentication.keySources == [.remote(RemoteKeySource(location: .keySet(url: url)))])
        #expect(
            policy.mapping?.places[.roles]?.map(\.text) == ["/realm_access/roles", "/resource_access/shop/roles"]
        )
        #expect(policy.mapping?.rolesPrefix == "shop_")
        #expect(policy.mapping?.places[.audience]?.map(\.text) == ["azp"])
        #expect(policy.conditions == [ClaimCondition(try #require(ClaimPlace("typ")), ["Bearer"])])
    }

    @Test func ownDomainsOfAuth0MayLackTheSlash() throws {
        let authentication = try Self.authentication(
            "[{ preset: auth0, issuer: 'https://login.shop.test', audiences: [a] }]"
        )
        let location = RemoteKeySource.Location.keySet(url: "https://login.shop.test/.well-known/jwks.json")
        #expect(authentication.keySources == [.remote(RemoteKeySource(location: location))])
        // Without a namespace only the permissions are known.
        #expect(authentication.policy.issuers.first?.mapping?.places[.roles]?.map(\.text) == ["permissions"])
        #expect(authentication.policy.issuers.first?.mapping?.places[.email] == nil)
    }

    @Test func discoveryAndOtherKeySetsMayReplaceTheAddress() throws {
        let discovery = try Self.authentication(
            "[{ preset: okta, domain: shop.okta.com, audiences: [a], discovery: true }]"
        )
        let issuer = RemoteKeySource.Location.discovery(issuer: "https://shop.okta.com/oauth2/default")
        #expect(discovery.keySources == [.remote(RemoteKeySource(location: issuer))])
        let other = try Self.authentication(
            "[{ preset: entra, issuer: 'https://x.ciamlogin.com/x/v2.0', audiences: [a], jwks_url: 'https://x.test/k' }]"
        )
        #expect(other.keySources == [.remote(RemoteKeySource(location: .keySet(url: "https://x.test/k")))])
        #expect(other.policy.issuers.map(\.issuer) == ["https://x.ciamlogin.com/x/v2.0"])
    }

    @Test func claimsOfAnyIssuerMayBeMapped() throws {
        let authentication = try Self.authentication(
            "[{ issuer: i, audiences: [a], algorithms: [HS256], secret: \(Sample.secret), "
                + "claims: { roles: /realm_access/roles, scopes: /scp, subject: /oid, email: /emails/0 } }, "
                + "{ preset: google, audiences: [a], claims: { roles: groups }, require_values: { hd: [a.test, b.test] } }]"
        )
        let policies = authentication.policy.issuers
        #expect(
            policies[0].mapping?.places.mapValues { $0.map(\.text) } == [
                .roles: ["/realm_access/roles"], .scopes: ["/scp"], .subject: ["/oid"], .email: ["/emails/0"],
            ]
        )
        #expect(policies.count == 3)
        #expect(policies.dropFirst().allSatisfy { $0.mapping?.places[.roles]?.map(\.text) == ["groups"] })
        #expect(policies.dropFirst().allSatisfy { $0.conditions.map(\.values) == [["a.test", "b.test"]] })
    }

    @Test func prefixAloneIsForTheUsualRoles() throws {
        let authentication = try Self.authentication(
            "[{ issuer: i, audiences: [a], algorithms: [HS256], secret: \(Sample.secret), claims: { roles_prefix: app_ } }]"
        )
        let mapping = try #require(authentication.policy.issuers.first?.mapping)
        let finding = try #require(mapping.findings(in: ["role": "app_admin", "roles": ["app_user", "root"]]).first)
        #expect(finding.values == ["admin", "user"] && finding.leftOut == 1)
    }

    @Test func issuerWithoutClaimsHasNoMapping() throws {
        let policy = try Self.authentication("[\(Sample.issuer)]").policy.issuers
        #expect(policy.allSatisfy { $0.mapping == nil && $0.conditions.isEmpty })
    }
}
