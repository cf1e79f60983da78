import TestSupport
import Testing
import Verification

/// `gatehouse explain`, with and without a running gateway.
@Suite struct ExplainCommandTests {
    private static let text = """
        version: 1
        gateway: { listen: [{ address: 127.0.0.1:0 }] }
        tenants:
          shop:
            hosts: [shop.test]
            backend: { servers: [http://127.0.0.1:9] }
            authenticate:
              issuers:
                - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
            access:
              - { path: /open/**, allow: anyone }
              - { path: /admin/**, allow: { roles: [admin] } }
          own:
            hosts: [own.test]
            backend: { servers: [http://127.0.0.1:9] }
            authenticate: { issuers: [{ preset: built-in }] }
            access: [{ path: /open/**, allow: anyone }]
            issuer: { url: "https://own.test", audience: own, algorithm: ES256 }
          far:
            hosts: [far.test]
            backend: { servers: [http://127.0.0.1:9] }
            authenticate:
              issuers: [{ issuer: "https://id.test", audiences: [app], algorithms: [RS256], jwks_url: "{keys}" }]

        """

    private func withFile(
        _ text: String = Self.text,
        keys: String = "http://127.0.0.1:9",
        _ test: (String) async throws -> Void
    )
        async throws
    {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try await test(try scratch.write(text.replacing("{keys}", with: keys), to: "t.yaml"))
    }

    private func explain(_ file: String, _ arguments: [String], token: String? = nil) async throws
        -> GatehouseProgram.Output
    {
        try await GatehouseProgram.run(
            ["explain", "--config", file] + arguments + (token == nil ? [] : ["--token", "-"]),
            environment: ["TEST_SECRET": TestIssuer.secret],
            input: token.map { $0 + "\n" } ?? ""
        )
    }

    @Test func explanationWorksOffline() async throws {
        let token = try TestIssuer.shared().token(["role": "customer"])
        try await withFile { file async throws in
            let refused = try await explain(
                file,
                ["--tenant", "shop", "--method", "GET", "--path", "/admin/x"],
                token: token
            )
            #expect(refused.exit == 0 && refused.errors == "", "\(refused)")
            let lines = refused.output.split(separator: "\n").map(String.init)
            #expect(lines.last == "refuse 403 insufficient_role")
            #expect(
                lines.first == "accept      " + String(repeating: " ", count: file.count + 5)
                    + "the request is well formed: GET"
            )
            #expect(
                lines.contains { $0.hasPrefix("authorize   \(file):12  rule /admin/** needs one of the roles admin") }
            )
            #expect(lines.contains { $0.hasPrefix("verify      \(file):9 ") && $0.contains("subject alice") })
            #expect(lines.contains { $0.hasPrefix("revocation  ") && $0.contains("--admin URL") })
            #expect(!refused.output.contains(token))
            let open = try await explain(file, ["--tenant", "shop", "--method", "GET", "--path", "/open/x"])
            #expect(open.exit == 0 && open.output.hasSuffix("\nforward\n"))
            let header = try await explain(
                file,
                [
                    "--tenant", "shop", "--method", "GET", "--path", "/x", "--header", "Authorization: Bearer a",
                    "--header", "Authorization: Bearer b",
                ]
            )
            #expect(header.exit == 0 && header.output.hasSuffix("\nrefuse 400 bad_request\n"))
        }
    }

    @Test func offlineExplanationStopsAtUnknowns() async throws {
        let token = try TestIssuer.shared().token(
            ["iss": "https://own.test", "aud": "own"],
            algorithm: .es256,
            header: ["typ": "at+jwt"]
        )
        try await withFile { file async throws in
            let unknown = try await explain(file, ["--tenant", "own", "--method", "GET", "--path", "/x"], token: token)
            #expect(unknown.exit == 1, "\(unknown)")
            #expect(unknown.errors.contains("this cannot be decided here; ask the running gateway with --admin URL"))
            #expect(unknown.output.contains("its keys are in the store of the running gateway"))
            #expect(!unknown.output.contains("\nrefuse"))
            let open = try await explain(
                file,
                ["--tenant", "own", "--method", "GET", "--path", "/open/x"],
                token: token
            )
            #expect(open.exit == 0 && open.output.hasSuffix("\nforward\n"))
        }
    }

    @Test func keySetsAreFetched() async throws {
        let issuer = try TestIssuer.shared()
        let token = try issuer.token([:], algorithm: .rs256)
        let provider = try await RecordingBackend.start(
            .response("HTTP/1.1 200 OK\r\nContent-Length: \(issuer.jwks.utf8.count)\r\n\r\n\(issuer.jwks)")
        )
        try await withFile(keys: "http://127.0.0.1:\(provider.port)/keys") { file async throws in
            let good = try await explain(file, ["--tenant", "far", "--method", "GET", "--path", "/x"], token: token)
            #expect(good.exit == 0 && good.output.hasSuffix("\nforward\n"), "\(good)")
        }
        await provider.stop()
        let closed = try ClosedPort()
        try await withFile(keys: "http://127.0.0.1:\(closed.port)/keys") { file async throws in
            let failed = try await explain(file, ["--tenant", "far", "--method", "GET", "--path", "/x"], token: token)
            #expect(failed.exit == 1, "\(failed)")
            #expect(failed.output.contains("could not be fetched: connection refused"))
        }
        withExtendedLifetime(closed) {}
    }

    @Test func explanationAsksRunningGateway() async throws {
        let setup = GatewaySetup.withAdminToken
        try await withGateway(setup) { fixture async throws in
            let admin = "http://\(try #require(fixture.adminAddress))"
            let arguments = [
                "explain", "--config", "t.yaml", "--tenant", "app", "--method", "GET", "--path", "/x", "--admin", admin,
            ]
            let environment = ["GATEHOUSE_ADMIN_TOKEN": fixture.keepSecret(GatewayFixture.adminToken)]
            let explained = try await GatehouseProgram.run(
                arguments + ["--token", "-"],
                environment: environment,
                input: try fixture.token()
            )
            #expect(
                explained.exit == 0 && explained.errors == "" && explained.output.hasSuffix("\nforward\n"),
                "\(explained)"
            )
            #expect(explained.output.contains("t.yaml:"))
            let locked = try await GatehouseProgram.run(arguments)
            #expect(locked.exit == 1 && locked.errors.contains("GATEHOUSE_ADMIN_TOKEN"))
        }
    }

    @Test func badUsageIsReported() async throws {
        try await withFile { file async throws in
            let request = ["--tenant", "shop", "--method", "GET"]
            for arguments in [
                request, request + ["--path", "x"], request + ["--path", "/", "--header", "x"],
                request + ["--path", "/", "--token", "eyJ"], request + ["--path", "/", "--address", "here"],
                ["--tenant", "shop", "--method", "G T", "--path", "/"],
            ] {
                let output = try await explain(file, arguments)
                #expect(output.exit == 64, "\(arguments) \(output)")
            }
            let unknown = try await explain(file, ["--tenant", "nobody", "--method", "GET", "--path", "/"])
            #expect(unknown.exit == 1 && unknown.errors.contains("no such tenant; there are shop, own, far"))
            let missing = try await explain("\(file).not", request + ["--path", "/"])
            #expect(missing.exit == 1 && missing.errors.contains("cannot be used"))
        }
    }
}
