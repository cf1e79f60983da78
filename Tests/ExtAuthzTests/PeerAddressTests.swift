import Testing

@testable import ExtAuthz

/// Who asks, as gRPC describes a peer.
@Suite struct PeerAddressTests {
    @Test(arguments: [("ipv4:192.0.2.1:8080", "192.0.2.1"), ("ipv6:[2001:db8::1]:8080", "2001:db8::1")])
    func addressIsBetweenKindAndPort(_ description: String, _ address: String) {
        #expect(AuthorizationService.address(description) == address)
    }

    @Test(arguments: ["", "<unknown>", "unix:/run/envoy.sock", "ipv4:", "ipv6:2001:db8::1:8080", "vsock:1:2"])
    func otherPeersHaveNoAddress(_ description: String) {
        #expect(AuthorizationService.address(description) == nil)
    }
}
