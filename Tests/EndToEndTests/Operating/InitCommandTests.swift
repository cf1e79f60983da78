import Foundation
import TestSupport
import Testing

/// `gatehouse init`, and `gatehouse check` on what it writes.
@Suite struct InitCommandTests {
    private static let options = [
        "--provider", "keycloak", "--issuer", "https://id.example.com/realms/shop", "--audience", "shop-api",
        "--host", "shop.example.com", "--backend", "http://127.0.0.1:9001",
    ]

    private static let nginx = """
        server {
            listen 127.0.0.1:8000;
            server_name shop.example.com;
            location / {
                auth_request /_auth;
                proxy_pass http://127.0.0.1:9001;
            }
            include conf.d/*.conf;
        }
        """

    private func withScratch(_ body: (Scratch) async throws -> Void) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try await body(scratch)
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    @Test func optionsWriteWhatCheckAccepts() async throws {
        try await withScratch { scratch in
            let file = "\(scratch.path)/t.yaml"
            let made = try await GatehouseProgram.run(["init", "--out", file] + Self.options)
            #expect(made.exit == 0 && made.output == "", "\(made)")
            #expect(made.errors == "\(file): 1 tenant\nnext: gatehouse check \(file)\n")
            let checked = try await GatehouseProgram.run(["check", file])
            #expect(checked.output == "\(file): OK, 1 tenant, 0 warnings\n", "\(checked)")
        }
    }

    @Test func fileThatIsThereIsKept() async throws {
        try await withScratch { scratch in
            let file = try scratch.write("mine", to: "t.yaml")
            let refused = try await GatehouseProgram.run(["init", "--out", file] + Self.options)
            #expect(refused.exit == 1 && refused.errors.contains("--force replaces it"), "\(refused)")
            #expect(try text(file) == "mine")
            let forced = try await GatehouseProgram.run(["init", "--force", "--out", file] + Self.options)
            let written = try text(file)
            #expect(forced.exit == 0 && written.contains("shop.example.com"), "\(forced)")
        }
    }

    @Test func missingOptionsAreNamed() async throws {
        for (provider, missing) in [
            ("auth0", "--issuer, --audience, --host, --backend missing"),
            ("firebase", "--issuer, --host, --backend missing"),
        ] {
            let output = try await GatehouseProgram.run(["init", "--provider", provider, "--out", "-"])
            #expect(output.exit == 64 && output.output == "", "\(output)")
            #expect(output.errors.contains(missing), "\(output)")
        }
    }

    @Test(arguments: [
        (["--host", "a b"], "--host: "), (["--backend", "localhost"], "--backend: "),
        (["--issuer", "http://x.test"], "--issuer: "),
        (["--from-envoy", "a", "--from-nginx", "b"], "give one of"), (["--provider", "nobody"], "provider"),
    ])
    func optionsThatCannotBeAreRefused(_ options: [String], _ message: String) async throws {
        let output = try await GatehouseProgram.run(["init", "--out", "-"] + Self.options + options)
        #expect(output.exit == 64 && output.errors.contains(message), "\(output)")
    }

    @Test func linesAnswerTheQuestions() async throws {
        let input = "nobody\nsupabase\nhttp://x.test\nhttps://p.supabase.co/auth/v1\nshop.example.com\n\n"
        let output = try await GatehouseProgram.run(["init", "--ask", "--out", "-"], input: input)
        #expect(output.exit == 0, "\(output)")
        #expect(output.errors.contains("one of keycloak, ") && output.errors.contains("must be an https:// address"))
        for line in ["- preset: supabase", "project: p", "- shop.example.com", "- http://127.0.0.1:9001"] {
            #expect(output.output.contains(line), "\(output.output)")
        }
        let ended = try await GatehouseProgram.run(["init", "--ask", "--out", "-"], input: "oidc\n")
        #expect(ended.exit == 1 && ended.output == "" && ended.errors.contains("nothing is written"), "\(ended)")
    }

    @Test func configurationOfNginxIsTranslated() async throws {
        try await withScratch { scratch in
            let source = try scratch.write(Self.nginx, to: "nginx.conf")
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/conf.d",
                withIntermediateDirectories: false
            )
            let included = try scratch.write(
                "location /office/ {\n  deny all;\n  proxy_pass http://127.0.0.1:9001;\n}\n",
                to: "conf.d/a.conf"
            )
            let file = "\(scratch.path)/t.yaml"
            let trusted = ["--provider", "auth0", "--issuer", "https://shop.auth0.com/", "--audience", "shop-api"]
            let made = try await GatehouseProgram.run(["init", "--from-nginx", source, "--out", file] + trusted)
            #expect(made.exit == 0, "\(made)")
            #expect(made.errors.contains("\(included):2: deny: not translated, so closed: "), "\(made.errors)")
            #expect(made.errors.contains("restricted access: what they are about is closed"))
            let checked = try await GatehouseProgram.run(["check", file])
            #expect(checked.exit == 0, "\(checked)")
            let explained = try await GatehouseProgram.run(
                ["explain", "--config", file, "--tenant", "shop", "--method", "GET", "--path", "/office/x"]
            )
            #expect(explained.output.contains("refuse 401 missing_token"), "\(explained)")
        }
    }

    @Test func issuerThatTheFileLacksIsAskedFor() async throws {
        try await withScratch { scratch in
            let source = try scratch.write(Self.nginx, to: "nginx.conf")
            let output = try await GatehouseProgram.run(["init", "--from-nginx", source, "--out", "-"])
            #expect(output.exit == 1 && output.errors.contains("add --provider, --issuer and --audience"), "\(output)")
        }
    }

    @Test func certificatesThatAreNotThereAreTold() async throws {
        try await withScratch { scratch in
            let tls = "listen 443 ssl;\n    ssl_certificate no.pem;\n    ssl_certificate_key no.key;"
            let source = try scratch.write(Self.nginx.replacing("listen 127.0.0.1:8000;", with: tls), to: "nginx.conf")
            let file = "\(scratch.path)/t.yaml"
            let output = try await GatehouseProgram.run(
                [
                    "init", "--from-nginx", source, "--out", file, "--issuer", "https://id.example.com", "--audience",
                    "a",
                ]
            )
            #expect(output.exit == 1 && output.errors.contains("names files that cannot be read here"), "\(output)")
            let written = try text(file)
            #expect(output.errors.contains("no.pem") && written.contains("certificate_file: no.pem"))
        }
    }

    @Test func brokenFileIsReportedWithItsLine() async throws {
        try await withScratch { scratch in
            let source = try scratch.write("a = 1\nb\n", to: "o.cfg")
            let output = try await GatehouseProgram.run(["init", "--from-oauth2-proxy", source, "--out", "-"])
            #expect(
                output.exit == 1 && output.errors.hasPrefix("Error: \(source):2: not \"name = value\""),
                "\(output)"
            )
        }
    }
}
