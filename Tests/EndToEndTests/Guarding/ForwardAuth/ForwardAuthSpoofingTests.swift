import TestSupport
import Testing
import Verification

/// Who may send decision queries, and what a client cannot spoof through a proxy.
@Suite struct ForwardAuthSpoofingTests {
    private static func forwarded(_ target: String) -> [String] { ForwardAuthTests.forwarded(target) }

    @Test(arguments: ["", "trusted_proxies: [192.0.2.7/32]"])
    func untrustedPeerGetsNoDecision(_ gateway: String) async throws {
        try await withGateway(GatewaySetup(gateway: gateway)) { fixture async throws in
            let token = try fixture.token()
            for target in ["/.gatehouse/auth", "/.gatehouse/auth?x", "/.gatehouse/auth/open/x", "/.gatehouse/auth/"] {
                let fields = Self.forwarded("/open/x") + ["X-Forwarded-For: 127.0.0.1"]
                let response = try await fixture.request(target, token: token, fields: fields)
                expectRefusal(response, 404, "unknown_host", target)
                #expect(response.fields["X-User-Id"] == [])
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func forwardedFieldsDoNotRouteOtherPaths() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = Self.forwarded("/open/x")
            expectRefusal(try await fixture.request("/orders", fields: fields), 401, "missing_token")
            expectRefusal(try await fixture.request("/open/x", host: "other.test", fields: fields), 404, "unknown_host")
            for target in ["/.gatehouse/authz", "/.gatehouse", "/%2egatehouse/auth", "/.gatehouse/./auth"] {
                expectRefusal(try await fixture.request(target, fields: fields), 404, "unknown_host", target)
            }
            let absolute = try await fixture.request("http://app.test/.gatehouse/auth/open/x", fields: fields)
            expectRefusal(absolute, 404, "unknown_host")
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func duplicateForwardedFieldIsRefused() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            for line in Self.forwarded("/open/x") {
                for fields in [[line] + Self.forwarded("/orders"), Self.forwarded("/orders") + [line]] {
                    let response = try await fixture.request("/.gatehouse/auth", fields: fields)
                    expectRefusal(response, 400, "bad_request", line)
                }
                let without = Self.forwarded("/open/x").filter { $0 != line }
                let response = try await fixture.request("/.gatehouse/auth", fields: without)
                expectRefusal(response, 400, "bad_request")
                let name = line.prefix { $0 != ":" }
                #expect(Problem(response)?.detail.hasPrefix("\(name) is missing: have the proxy set it") == true)
            }
        }
    }

    @Test func forwardedURIMustBePathWithoutLineEnds() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let token = try fixture.token()
            for uri in [
                "http://app.test/open/x", "open/x", "/open/x HTTP/1.1", "/open/x\tHTTP/1.1", "/open/\u{e4}",
                "/open/x#y",
            ] {
                let fields = ["X-Forwarded-Method: GET", "X-Forwarded-Host: app.test", "X-Forwarded-Uri: \(uri)"]
                let response = try await fixture.request("/.gatehouse/auth", token: token, fields: fields)
                expectRefusal(response, 400, "bad_request", uri)
            }
            for host in ["app.test,other.test", "app.test other.test", "user@app.test", "app.test/open", "app%2etest"] {
                let fields = ["X-Forwarded-Method: GET", "X-Forwarded-Host: \(host)", "X-Forwarded-Uri: /open/x"]
                let response = try await fixture.request("/.gatehouse/auth", token: token, fields: fields)
                expectRefusal(response, 400, "bad_request", host)
            }
        }
    }

    /// The rightmost untrusted address, as for forwarded requests.
    @Test func clientIsRightmostUntrustedAddress() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let addresses = ["198.51.100.1, 203.0.113.9", "203.0.113.9, 127.0.0.1"]
            for address in addresses {
                let fields = Self.forwarded("/open/x") + ["X-Forwarded-For: \(address)"]
                _ = try await fixture.request("/.gatehouse/auth", fields: fields)
                #expect(try await fixture.accessLog.next()["remote"] == "203.0.113.9")
            }
        }
    }

    @Test func twoTokensInOneSourceAreRefused() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = Self.forwarded("/orders") + ["Authorization: Bearer \(try fixture.token(["sub": "bob"]))"]
            let response = try await fixture.request("/.gatehouse/auth", token: try fixture.token(), fields: fields)
            expectRefusal(response, 400, "bad_request")
        }
    }

    /// Only the proxy's own certificate reaches the gateway.
    @Test func tenantRequiringCertificatesIsRefused() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let certificate = try authority.server("app.test")
        let values = [
            "chain": try scratch.write(certificate.certificate, to: "chain.pem"),
            "key": try scratch.write(certificate.key, to: "key.pem"),
            "ca": try scratch.write(try authority.pem(), to: "ca.pem"),
        ]
        var setup = ForwardAuthTests.trusting
        setup.tenant += "\ntls: { certificate_file: \"{chain}\", key_file: \"{key}\", client_ca_file: \"{ca}\" }"
        try await withGateway(setup, values: values) { fixture async throws in
            let response = try await fixture.request("/.gatehouse/auth", fields: Self.forwarded("/open/x"))
            expectRefusal(response, 421, "unknown_host")
        }
    }
}
