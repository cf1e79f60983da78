import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct ClientCredentialsTests {
    private static let basic = "Basic Z2F0ZSUyMGhvdXNlOnMlMjZjcmV0"

    @Test(
        arguments: [
            (nil, ["client_secret_basic"], true), (nil, ["client_secret_post"], false),
            (nil, ["client_secret_post", "client_secret_basic"], true), (nil, [], true),
            (.post, ["client_secret_basic"], false), (.basic, ["client_secret_post"], true),
        ] as [(NamedProvider.ClientProof?, [String], Bool)]
    )
    func secretIsSentAsProviderSupportsAndOperatorChooses(
        chosen: NamedProvider.ClientProof?,
        supported: [String],
        isBasic: Bool
    ) throws {
        let credentials = ClientCredentials(try .openID(proof: chosen), supported: supported)
        #expect(credentials.fields.map(\.value) == (isBasic ? [Self.basic] : []))
        #expect(credentials.parameters.map(\.value) == (isBasic ? [] : ["gate house", "s&cret"]))
        #expect(!"\(credentials)".contains("cret"))
    }

    @Test func publicClientSendsItsNameAlone() throws {
        let credentials = ClientCredentials(try .openID(secret: nil), supported: [])
        #expect(credentials.parameters.map(\.name) == ["client_id"])
        #expect(credentials.fields.isEmpty)
    }

    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg=="), ([0x66, 0x6F], "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v"), ([0xFB, 0xFF], "+/8="),
        ] as [([UInt8], String)]
    )
    func base64HasPaddingAndBothSigns(bytes: [UInt8], text: String) {
        #expect(StandardBase64.encode(bytes) == text)
    }
}
