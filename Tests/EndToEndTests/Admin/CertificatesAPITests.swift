import TestSupport
import Testing
import Verification

/// `GET /api/certificates`: the certificates in use.
@Suite struct CertificatesAPITests {
    private func certificates(_ fixture: GatewayFixture) async throws -> [JSONObject] {
        try fixture.entries("certificates", try await fixture.admin("/api/certificates"))
    }

    @Test func everyCertificateInUseIsListedOnce() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let own = try authority.server("gateway.test", hasExpired: true)
        let values = [
            "own": try scratch.write(own.certificate, to: "own.pem"),
            "ownKey": try scratch.write(own.key, to: "own.key"),
        ]
        var setup = GatewaySetup.tls()
        for name in ["one", "two"] {
            setup.others += """
                \(name):
                  hosts: [\(name).test]
                  tls: { certificate_file: "{certificate}", key_file: "{key}" }
                  backend:
                    servers: ["https://127.0.0.1:9"]
                    tls: { certificate_file: "{own}", key_file: "{ownKey}" }
                  authenticate: { from: [bearer], issuers: [ { issuer: i, audiences: [a], algorithms: [RS256], jwks_file: "{jwks}" } ] }

                """
        }
        let certificate = try authority.server("app.test")
        let served = [
            "certificate": try scratch.write(certificate.certificate, to: "app.pem"),
            "key": try scratch.write(certificate.key, to: "app.key"),
        ]
        try await withGateway(setup, values: values.merging(served) { $1 }) { fixture async throws in
            let certificates = try await certificates(fixture)
            #expect(certificates.map { $0["use"] } == ["backend", "server"])
            #expect(certificates.map { $0["tenants"] } == [["one", "two"], ["app", "one", "two"]])
            #expect(certificates.map { $0["state"] != "expired" } == [false, true])
            #expect(certificates[0]["file"]?.string == values["own"])
            #expect(certificates[0]["days_left"]?.double ?? 0 < 0)
        }
    }

    @Test func gatewayWithoutTLSHasNone() async throws {
        try await withGateway { fixture async throws in
            #expect(try await certificates(fixture) == [])
        }
    }
}
