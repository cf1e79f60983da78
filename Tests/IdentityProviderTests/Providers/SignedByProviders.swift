import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Tokens as signed by Apple and Google, verified by policies like the gateway's.
struct SignedByProviders: ProviderTokens {
    static let now = UnixTime(1_800_000_000)
    static let appleKey = try? SigningKey.generate(.rsa(bits: 2048))
    static let googleKey = try? SigningKey.generate(.rsa(bits: 2048))
    static let apps = ["org.example.rider", "org.example.driver"]
    static let services = ["org.example.web", "org.example.page"]

    let appleKeys: KeySet
    let googleKeys: KeySet

    init() throws {
        appleKeys = try Self.keySet(Self.appleKey)
        googleKeys = try Self.keySet(Self.googleKey)
    }

    private static func keySet(_ key: SigningKey?) throws -> KeySet {
        try KeySet(jwk: #require(key?.publicJWK(algorithm: .rs256)), origin: .url)
    }

    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        do throws(VerificationFailure) {
            return .success(try TokenVerifier(policy(of: kind)).verify(Array(token.utf8), at: now))
        } catch {
            return .failure(.refused(error))
        }
    }

    private func policy(of kind: ProviderTokenKind) -> VerificationPolicy {
        let audiences: [String] =
            switch kind {
            case .appleIdentity, .googleIdentity: Self.apps
            case .appleWebIdentity, .googleWebIdentity: Self.services
            case .appleNotification: Self.apps + Self.services
            case .namedIdentity, .namedWebIdentity: []
            }
        let keys = kind.provider == .apple ? appleKeys : googleKeys
        let issuers = kind.provider == .apple ? [AppleSignIn.defaultIssuer] : GoogleSignIn.defaultIssuers
        return VerificationPolicy(
            issuers: issuers.map {
                IssuerPolicy(issuer: $0, audiences: audiences, algorithms: [.rs256], keys: keys)
            },
            requiredClaims: kind == .appleNotification ? ["iat", "jti"] : ["exp", "iat", "sub"]
        )
    }

    // MARK: Signing

    static func apple(_ claims: JSONObject) throws -> String { try sign(claims, appleKey) }

    static func google(_ claims: JSONObject) throws -> String { try sign(claims, googleKey) }

    static func sign(_ claims: JSONObject, _ key: SigningKey?, header: JSONObject = [:]) throws -> String {
        let key = try #require(key)
        return try TokenSigner(key, algorithm: .rs256, keyID: key.thumbprint).sign(claims, header: header)
    }

    static func appleClaims(_ changes: JSONObject = [:]) -> JSONObject {
        let claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "org.example.rider", "sub": "001234.abcdef.0815",
            "iat": .number(JSONNumber(Int(now.seconds) - 10)), "exp": .number(JSONNumber(Int(now.seconds) + 600)),
        ]
        return claims.changed(changes)
    }

    static func googleClaims(_ changes: JSONObject = [:]) -> JSONObject {
        let claims: JSONObject = [
            "iss": "https://accounts.google.com", "aud": "org.example.rider", "sub": "110169484474386276334",
            "iat": .number(JSONNumber(Int(now.seconds) - 10)), "exp": .number(JSONNumber(Int(now.seconds) + 600)),
        ]
        return claims.changed(changes)
    }
}

/// Fails every verification with `problem`.
struct KeylessTokens: ProviderTokens {
    let problem: ProviderTokenProblem

    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> { .failure(problem) }
}

extension JSONObject {
    /// With members replaced; null removes one.
    func changed(_ changes: JSONObject) -> JSONObject {
        var object = self
        for member in changes.members {
            object[member.name] = member.value == .null ? JSONValue?.none : member.value
        }
        return object
    }
}

extension AppleSignIn {
    static func example(_ nonce: Nonce = .required, web: Web? = nil) throws -> AppleSignIn {
        AppleSignIn(
            path: try PathPattern("/auth/apple"),
            clientIDs: SignedByProviders.apps,
            nonce: nonce,
            then: .issue,
            web: web
        )
    }
}

extension GoogleSignIn {
    static func example(web: Web? = nil) throws -> GoogleSignIn {
        GoogleSignIn(path: try PathPattern("/auth/google"), clientIDs: SignedByProviders.apps, then: .issue, web: web)
    }
}

extension ProviderChecks {
    static func example(
        _ nonce: AppleSignIn.Nonce = .required,
        tokens: (any ProviderTokens)? = nil,
        requests: any ProviderRequests = ScriptedRequests()
    ) throws -> ProviderChecks {
        ProviderChecks(
            apple: try .example(nonce),
            google: try .example(),
            who: nil,
            tokens: try tokens ?? SignedByProviders(),
            requests: requests
        )
    }
}

/// The refusal of a check.
func providerRefusal<Value>(_ call: () async throws -> Value) async throws -> EndpointRefusal {
    var refusal: EndpointRefusal?
    do {
        _ = try await call()
    } catch let error as EndpointRefusal {
        refusal = error
    }
    return try #require(refusal)
}
