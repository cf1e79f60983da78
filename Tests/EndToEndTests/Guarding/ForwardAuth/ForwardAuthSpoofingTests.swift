import TestSupport
import Testing
import Verification

/// Who may ask, and what a client cannot make the gateway believe by way of a proxy.
@Suite struct ForwardAuthSpoofingTests {
    private static func told(_ target: String) -> [String] { ForwardAuthTests.told(target) }

    @Test(arguments: ["", "trusted_proxies: [192.0.2.7/32]"])
    func whoeverIsNotTrustedIsToldNothing(_ gateway: String) async throws {
        try await withGateway(GatewaySetup(gateway: gateway)) { fixture async throws in
            let token = try fixture.token()
            for target in ["/.gatehouse/auth", "/.gatehouse/auth?x", "/.gatehouse/auth/open/x", "/.gatehouse/auth/"] {
                let fields = Self.told("/open/x") + ["X-Forwarded-For: 127.0.0.1"]
                let answer = try await fixture.request(target, token: token, fields: fields)
                expectRefusal(answer, 404, "unknown_host", target)
                #expect(answer.fields["X-User-Id"] == [])
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func elsewhereForwardedFieldsRouteNothing() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = Self.told("/open/x")
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

    @Test func aSecondCopyOfAFieldIsNotChosenFrom() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            for line in Self.told("/open/x") {
                for fields in [[line] + Self.told("/orders"), Self.told("/orders") + [line]] {
                    let answer = try await fixture.request("/.gatehouse/auth", fields: fields)
                    expectRefusal(answer, 400, "bad_request", line)
                }
                let without = Self.told("/open/x").filter { $0 != line }
                let answer = try await fixture.request("/.gatehouse/auth", fields: without)
                expectRefusal(answer, 400, "bad_request")
                let name = line.prefix { $0 != ":" }
                #expect(Problem(answer)?.detail.hasPrefix("\(name) is missing: have the proxy set it") == true)
            }
        }
    }

    @Test func theUriNamesNoHostAndMakesNoLines() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let token = try fixture.token()
            for uri in [
                "http://app.test/open/x", "open/x", "/open/x HTTP/1.1", "/open/x\tHTTP/1.1", "/open/\u{e4}",
                "/open/x#y",
            ] {
                let fields = ["X-Forwarded-Method: GET", "X-Forwarded-Host: app.test", "X-Forwarded-Uri: \(uri)"]
                let answer = try await fixture.request("/.gatehouse/auth", token: token, fields: fields)
                expectRefusal(answer, 400, "bad_request", uri)
            }
            for host in ["app.test,other.test", "app.test other.test", "user@app.test", "app.test/open", "app%2etest"] {
                let fields = ["X-Forwarded-Method: GET", "X-Forwarded-Host: \(host)", "X-Forwarded-Uri: /open/x"]
                let answer = try await fixture.request("/.gatehouse/auth", token: token, fields: fields)
                expectRefusal(answer, 400, "bad_request", host)
            }
        }
    }

    /// The rightmost address that is no trusted proxy's, as for requests that are forwarded.
    @Test func theClientIsWhomTheProxyHasSeen() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let addresses = ["198.51.100.1, 203.0.113.9", "203.0.113.9, 127.0.0.1"]
            for address in addresses {
                let fields = Self.told("/open/x") + ["X-Forwarded-For: \(address)"]
                _ = try await fixture.request("/.gatehouse/auth", fields: fields)
                #expect(try await fixture.accessLog.next()["remote"] == "203.0.113.9")
            }
        }
    }

    @Test func twoTokensInOnePlaceAreRefused() async throws {
        try await withGateway(ForwardAuthTests.trusting) { fixture async throws in
            let fields = Self.told("/orders") + ["Authorization: Bearer \(try fixture.token(["sub": "bob"]))"]
            let answer = try await fixture.request("/.gatehouse/auth", token: try fixture.token(), fields: fields)
            expectRefusal(answer, 400, "bad_request")
        }
    }

    /// Nobody has shown the gateway a certificate but the proxy, and that one is its own.
    @Test func aTenantThatWantsCertificatesIsNotServed() async throws {
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
            let answer = try await fixture.request("/.gatehouse/auth", fields: Self.told("/open/x"))
            expectRefusal(answer, 421, "unknown_host")
        }
    }
}
