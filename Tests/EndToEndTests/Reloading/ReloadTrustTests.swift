import TestSupport
import Testing

/// Connections from before a reload.
@Suite struct ReloadTrustTests {
    private static let listeners = "listen: [ { address: \"127.0.0.1:0\", tls: true } ]"
    private static let certificate = "certificate_file: \"{certificate}\", key_file: \"{key}\""

    @Test func olderConnectionDoesNotBypassClientCertificate() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let certificate = try authority.server("app.test")
        let values = [
            "certificate": try scratch.write(certificate.certificate, to: "app.pem"),
            "key": try scratch.write(certificate.key, to: "app.key"),
            "ca": try scratch.write(try authority.pem(), to: "ca.pem"),
        ]
        let open = GatewaySetup(gateway: Self.listeners, tenant: "tls: { \(Self.certificate) }")
        let guarded = GatewaySetup(
            gateway: Self.listeners,
            tenant: "tls: { \(Self.certificate), client_ca_file: \"{ca}\" }"
        )
        try await withGateway(open, values: values) { fixture async throws in
            let client = try await fixture.connectTLS()
            let http2 = try await fixture.http2TLS()
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
            #expect(try await http2.request("/open/x").status == 200)
            await fixture.change(guarded)
            #expect(try await client.request(fixture.head("/open/x")).status == 421)
            #expect(try await http2.request("/open/x").status == 421)
            #expect(fixture.backend.requests.count == 2)
        }
    }

    @Test func proxyTrustFollowsConfiguration() async throws {
        let trusting = GatewaySetup(gateway: "trusted_proxies: [127.0.0.1/32]")
        try await withGateway(trusting) { fixture async throws in
            let client = try await fixture.http2()
            let claim = [("x-forwarded-for", "203.0.113.9")]
            var seen: [[String]] = []
            for setup in [GatewaySetup(), trusting, GatewaySetup()] {
                // One after the other, so that ended streams are reused.
                for _ in 0..<2 {
                    #expect(try await client.request("/open/x", fields: claim).status == 200)
                    seen.append(try await fixture.backend.arrivals.next().fields["X-Forwarded-For"])
                }
                await fixture.change(setup)
            }
            let (believed, own) = (["203.0.113.9, 127.0.0.1"], ["127.0.0.1"])
            #expect(seen == [believed, believed, own, own, believed, believed])
        }
    }
}
