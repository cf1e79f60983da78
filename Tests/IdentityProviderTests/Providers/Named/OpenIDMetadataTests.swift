import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct OpenIDMetadataTests {
    private static let good: JSONObject = [
        "issuer": .string(NamedProvider.issuer), "authorization_endpoint": "https://id.example/authorize?realm=shop",
        "token_endpoint": "https://id.example/token", "userinfo_endpoint": "https://id.example/userinfo",
        "code_challenge_methods_supported": ["plain", "S256"],
    ]

    private static func read(_ changes: JSONObject, allowsPlain: Bool = false) throws(OpenIDMetadata.Fault)
        -> OpenIDMetadata
    {
        try OpenIDMetadata(
            JSONWriter.bytes(of: good.changed(changes)),
            issuer: NamedProvider.issuer,
            allowsPlain: allowsPlain
        )
    }

    @Test func metadataIsRead() throws {
        let metadata = try Self.read([:])
        #expect(metadata.authorizeURL == "https://id.example/authorize?realm=shop")
        #expect(metadata.userInfoURL == "https://id.example/userinfo")
        #expect(metadata.clientProofs == ["client_secret_basic"], "the default of the specification")
        #expect(!metadata.namesIssuer)
        let other = try Self.read([
            "userinfo_endpoint": .null, "code_challenge_methods_supported": .null,
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
            "authorization_response_iss_parameter_supported": true,
        ])
        #expect(other.userInfoURL == nil)
        #expect(other.clientProofs == ["client_secret_post", "private_key_jwt"])
        #expect(other.namesIssuer)
    }

    @Test(
        arguments: [
            ["issuer": "https://id.example/realms/shop/"], ["issuer": "https://id.example/realms/Shop"],
            ["issuer": .null], ["issuer": ["https://id.example/realms/shop"]],
        ] as [JSONObject]
    )
    func metadataOfAnotherIssuerIsRefused(changes: JSONObject) {
        #expect(throws: OpenIDMetadata.Fault.otherIssuer) { try Self.read(changes) }
    }

    @Test(
        arguments: [
            ["token_endpoint": "http://id.example/token"], ["token_endpoint": "https://u:p@id.example/token"],
            ["token_endpoint": "javascript:alert(1)"], ["token_endpoint": .null], ["token_endpoint": "https:///token"],
            ["authorization_endpoint": "http://127.0.0.1/authorize"], ["authorization_endpoint": "/authorize"],
            ["authorization_endpoint": "https://id.example/a#b"], ["userinfo_endpoint": "http://id.example/userinfo"],
            ["userinfo_endpoint": 1],
        ] as [JSONObject]
    )
    func endpointThatCannotBeTrustedIsRefused(changes: JSONObject) {
        #expect(throws: OpenIDMetadata.Fault.noEndpoint) { try Self.read(changes) }
    }

    @Test func plainHTTPIsForLoopbackAlone() throws {
        let local: JSONObject = ["token_endpoint": "http://127.0.0.1:9010/token"]
        #expect(try Self.read(local, allowsPlain: true).tokenURL == "http://127.0.0.1:9010/token")
        for address in ["http://127.0.0.1.example/token", "http://10.0.0.1/token", "http://localhost.example/token"] {
            #expect(throws: OpenIDMetadata.Fault.noEndpoint) {
                try Self.read(["token_endpoint": .string(address)], allowsPlain: true)
            }
        }
    }

    @Test func providerWithoutS256IsRefused() {
        #expect(throws: OpenIDMetadata.Fault.noPKCE) {
            try Self.read(["code_challenge_methods_supported": ["plain"]])
        }
    }

    @Test(arguments: ["", "<!DOCTYPE html><title>Maintenance</title>", "[]", "{\"issuer\": "])
    func otherThanObjectIsRefused(body: String) {
        #expect(throws: OpenIDMetadata.Fault.noObject) {
            try OpenIDMetadata(Array(body.utf8), issuer: NamedProvider.issuer, allowsPlain: false)
        }
    }
}
