import Testing

extension RealClients {
    /// The TLS of the listeners, checked with OpenSSL's client: a different library from the one that serves it.
    @Suite struct TLSHandshakeTests {
        // MARK: SNI

        @Test func serverNameSelectsCertificate() async throws {
            try await withRealGateway { fixture async throws in
                let client = TLSClient(fixture: fixture)
                let expected = [
                    (["-servername", "app.test"], "app"), (["-servername", "APP.TEST"], "app"),
                    (["-servername", "vault.test"], "vault"), (["-servername", "a.wild.test"], "wild"),
                    (["-servername", "b.wild.test"], "wild"),
                    // A wildcard stands for one label, neither for none nor for two.
                    (["-servername", "wild.test"], "app"), (["-servername", "a.b.wild.test"], "app"),
                    (["-servername", "elsewhere.test"], "app"), (["-noservername"], "app"),
                ]
                for (options, name) in expected {
                    #expect(try await client.shown(for: options) == name, "\(options)")
                }
            }
        }

        @Test func certificateMatchesItsName() async throws {
            try await withRealGateway { fixture async throws in
                let client = TLSClient(fixture: fixture)
                for host in ["app.test", "a.wild.test"] {
                    let output = try await client.shake(["-servername", host, "-verify_hostname", host])
                    #expect(output.text.contains("Verify return code: 0 (ok)"), "\(output.text.suffix(500))")
                }
            }
        }

        // MARK: ALPN

        @Test(arguments: [
            (["-alpn", "h2,http/1.1"], "ALPN protocol: h2"), (["-alpn", "http/1.1,h2"], "ALPN protocol: h2"),
            (["-alpn", "http/1.1"], "ALPN protocol: http/1.1"), (["-alpn", "h2"], "ALPN protocol: h2"),
            (["-alpn", "spdy/3,http/1.1"], "ALPN protocol: http/1.1"), ([], "No ALPN negotiated"),
        ])
        func protocolIsNegotiated(_ options: [String], _ expected: String) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).shake(["-servername", "app.test"] + options)
                #expect(output.text.contains(expected), "\(output.text.suffix(1500))")
            }
        }

        @Test func unknownProtocolIsRefused() async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).shake(["-servername", "app.test", "-alpn", "spdy/3"])
                #expect(output.status != 0)
                #expect(output.complaints.contains("no application protocol"), "\(output.complaints)")
            }
        }

        @Test(arguments: [[], ["-alpn", "http/1.1"]])
        func requestWithoutALPNIsHTTP11(_ alpn: [String]) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).ask(["-servername", "app.test"] + alpn)
                #expect(output.text.contains("HTTP/1.1 200 OK\r\n") && output.text.contains("\r\n\r\nok"))
            }
        }

        // MARK: Versions

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func currentVersionsAreSpoken(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).ask(["-servername", "app.test", version])
                #expect(output.text.contains("HTTP/1.1 200 OK\r\n"), "\(output.complaints)")
            }
        }

        @Test(arguments: ["-tls1", "-tls1_1"])
        func oldVersionsAreRefused(_ version: String) async throws {
            try await withRealGateway { fixture async throws in
                let options = ["-servername", "app.test", version, "-cipher", "DEFAULT:@SECLEVEL=0"]
                let output = try await TLSClient(fixture: fixture).shake(options)
                #expect(output.status != 0)
                // The alert comes from the gateway, not from a client that does not try.
                #expect(output.complaints.contains("alert protocol version"), "\(output.complaints)")
            }
        }

        @Test func plainTextIsRefused() async throws {
            try await withRealGateway { fixture async throws in
                let url = "http://127.0.0.1:\(fixture.securedPort)/open/x"
                let text = try await Program.curl.succeed(["--disable", "--silent", "--include", "--noproxy", "*", url])
                #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("https"))
            }
        }

        // MARK: One tenant's connection is not another's

        @Test(arguments: ["a.wild.test", "vault.test"])
        func requestForAnotherTenantIsMisdirected(_ host: String) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).ask(["-servername", "app.test"], host: host)
                #expect(output.text.contains("HTTP/1.1 421 Misdirected Request\r\n"), "\(output.text.suffix(800))")
                #expect(!output.text.contains("\r\n\r\nok"))
            }
        }

        @Test(arguments: [
            (["-noservername"], "no host"), (["-servername", "192.0.2.1"], "an address instead of a host"),
        ])
        func clientThatNamesNoHostIsToldTheCertificatesNames(_ options: [String], _ named: String) async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).ask(options, host: "vault.test")
                #expect(output.text.contains("HTTP/1.1 421 Misdirected Request\r\n"), "\(output.text.suffix(800))")
                let detail = "named \(named) (SNI), and has the certificate for app.test"
                #expect(output.text.contains(detail), "\(output.text.suffix(800))")
                #expect(!output.text.contains("for vault.test"))
            }
        }

        @Test func requestForSameTenantIsServed() async throws {
            try await withRealGateway { fixture async throws in
                let output = try await TLSClient(fixture: fixture).ask(
                    ["-servername", "a.wild.test"],
                    host: "b.wild.test"
                )
                #expect(output.text.contains("HTTP/1.1 200 OK\r\n"), "\(output.text.suffix(800))")
            }
        }
    }
}
