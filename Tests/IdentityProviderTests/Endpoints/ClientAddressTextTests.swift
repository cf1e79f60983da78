import Testing

@testable import IdentityProvider
@testable import Tenants

struct ClientAddressTextTests {
    /// The examples of RFC 5952 sections 4 and 5, and others.
    @Test(arguments: [
        "2001:db8::1", "2001:db8::2:1", "2001:db8:0:1:1:1:1:1", "2001:0:0:1::1", "2001:db8::1:0:0:1", "::", "::1",
        "1::",
        "2001:db8:1:1:1:1:1:1", "fe80::1", "192.0.2.1", "0.0.0.0", "255.255.255.255",
    ])
    func addressIsWrittenInItsCanonicalForm(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(ClientAddressText.text(of: address.bytes) == text)
        #expect(text.utf8.count <= SeenClient.longestAddress)
    }

    @Test func otherLengthsAreNone() {
        for count in [0, 1, 5, 15, 17] {
            #expect(ClientAddressText.text(of: [UInt8](repeating: 1, count: count)) == nil)
        }
    }
}
