import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

extension NamedProvider {
    static let issuer = "https://id.example/realms/shop"

    static func openID(
        issuer: String = Self.issuer,
        secret: String? = "s&cret",
        proof: ClientProof? = nil,
        emailVerified: EmailRule? = nil,
        claims: KeyValuePairs<String, String> = [:]
    ) throws -> NamedProvider {
        try example(
            .openID(
                OpenIDService(
                    issuer: issuer,
                    metadataURL: Self.issuer + "/.well-known/openid-configuration",
                    keys: RemoteKeySource(location: .discovery(issuer: issuer))
                )
            ),
            secret: secret,
            proof: proof,
            subject: "sub",
            emailVerified: try emailVerified ?? .claim(#require(ClaimPlace("email_verified"))),
            claims: claims
        )
    }

    static func codeHost(emailsURL: String? = "https://code.example/user/emails") throws -> NamedProvider {
        try example(
            .oauth2(
                OAuth2Service(
                    authorizeURL: "https://code.example/authorize",
                    tokenURL: "https://code.example/token",
                    userInfoURL: "https://code.example/user",
                    emailsURL: emailsURL
                )
            ),
            secret: "s&cret",
            proof: nil,
            subject: "/id",
            emailVerified: .never,
            claims: [:]
        )
    }

    private static func example(
        _ service: Service,
        secret: String?,
        proof: ClientProof?,
        subject: String,
        emailVerified: EmailRule,
        claims: KeyValuePairs<String, String>
    ) throws -> NamedProvider {
        NamedProvider(
            name: "company",
            label: "Company",
            service: service,
            clientID: "gate house",
            clientSecret: secret.map { Secret($0) },
            clientProof: proof,
            scopes: ["openid", "email"],
            subject: try #require(ClaimPlace(subject)),
            email: try #require(ClaimPlace("email")),
            emailVerified: emailVerified,
            fullName: try #require(ClaimPlace("name")),
            claims: try claims.map { MappedClaim(name: $0.key, place: try #require(ClaimPlace($0.value))) }
        )
    }
}
