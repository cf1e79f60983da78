import TestSupport
import Testing

/// What is asked of connections that were there before a reload.
@Suite struct ReloadTrustTests {
    private static let listeners = "listen: [ { address: \"127.0.0.1:0\", tls: true } ]"
    private static let certificate = "certificate_file: \"{certificate}\", key_file: \"{key}\""

    @Test func aConnectionFromBeforeIsNoWayRoundAClientCertificate() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let certificate = try authority.server("app.test")
        let values = [
            "certificate": try scratch.write(certificate.certificate, to: "app.pem"),
            "key": try scratch.write(certificate.key, to: "app.key"),
            "ca": try scratch.write(try authority.pem(), to: "ca.pem"),
        ]
        let open = HouseSetup(gateway: Self.listeners, tenant: "tls: { \(Self.certificate) }")
        let guarded = HouseSetup(
            gateway: Self.listeners,
            tenant: "tls: { \(Self.certificate), client_ca_file: \"{ca}\" }"
        )
        try await withHouse(open, values: values) { house async throws in
            let client = try await house.connectTLS()
            let http2 = try await house.http2TLS()
            try await client.send(house.head("/open/x"))
            #expect(try await client.response().status == 200)
            #expect(try await http2.request("/open/x").status == 200)
            await house.change(guarded)
            try await client.send(house.head("/open/x"))
            #expect(try await client.response().status == 421)
            #expect(try await http2.request("/open/x").status == 421)
            #expect(house.backend.requests.count == 2)
        }
    }

    @Test func aProxyIsTrustedAsLongAsTheConfigurationSays() async throws {
        let trusting = HouseSetup(gateway: "trusted_proxies: [127.0.0.1/32]")
        try await withHouse(trusting) { house async throws in
            let client = try await house.http2()
            let claim = [("x-forwarded-for", "203.0.113.9")]
            var seen: [[String]] = []
            for setup in [HouseSetup(), trusting, HouseSetup()] {
                // One after the other: streams that have ended serve again.
                for _ in 0..<2 {
                    #expect(try await client.request("/open/x", fields: claim).status == 200)
                    seen.append(try await house.backend.arrivals.next().fields["X-Forwarded-For"])
                }
                await house.change(setup)
            }
            let (believed, own) = (["203.0.113.9, 127.0.0.1"], ["127.0.0.1"])
            #expect(seen == [believed, believed, own, own, believed, believed])
        }
    }
}
