import Testing

@testable import Migration

struct NginxTests {
    private func draft(_ locations: String, server: String = "", http: String = "") throws -> Draft {
        let text = """
            \(http)
            server {
                server_name shop.test; listen 8080; \(server)
                \(locations)
            }
            """
        return try NginxTranslation.draft(SourceFile(name: "n.conf", text: text), MigrationSample.answers)
    }

    private let pass = "proxy_pass http://127.0.0.1:9001;"

    @Test func wordsQuotesAndBlocksAreRead() throws {
        let text = "a b 'c; d' \"e\\\"f\"; # x\ng ${h}i { j; }\nk ~ ^/a\\.b$ { }"
        let found = try NginxParser.parse(SourceFile(name: "n", text: text)) { _ in nil }
        #expect(found.map(\.name) == ["a", "g", "k"])
        #expect(found.map(\.arguments) == [["b", "c; d", "e\"f"], ["${h}i"], ["~", "^/a\\.b$"]])
        #expect(found.map(\.origin.line) == [1, 2, 3] && found[1].block?.map(\.name) == ["j"])
    }

    @Test(arguments: ["a {", "a; }", "a", "{ }", ";", "a 'b", "x { a }"])
    func brokenSyntaxIsReported(_ text: String) {
        #expect(throws: UntranslatableFile.self) {
            try NginxParser.parse(SourceFile(name: "n", text: text)) { _ in nil }
        }
    }

    @Test func filesThatIncludeThemselvesEnd() {
        let file = SourceFile(name: "n", text: "include n;")
        #expect(throws: UntranslatableFile.self) { try NginxParser.parse(file) { _ in [file] } }
    }

    @Test func includedFilesAreRead() throws {
        let file = SourceFile(name: "n", text: "include a.conf;\ninclude mime.types;")
        let found = try NginxParser.parse(file) { $0 == "a.conf" ? [SourceFile(name: "a.conf", text: "\nb c;")] : nil }
        #expect(found.map(\.origin) == [Origin(file: "a.conf", line: 2)])
    }

    @Test func locationsWithoutAuthenticationAreOpen() throws {
        let draft = try draft(
            "location / { \(pass) } location /in/ { auth_request /a; \(pass) } location = /a { internal; \(pass) }"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/") == .open && tenant.decision("GET", "/in/x") == .anyCaller)
        #expect(tenant.decision("GET", "/a") == .closed)
    }

    @Test(arguments: [
        "deny all;", "auth_basic x;", "limit_except GET { deny all; }", "valid_referers none;", "access_by_lua_file x;",
        "include not-there.conf;", "if ($x) { return 403; }", "rewrite ^ /x;", "something_new on;",
    ])
    func unknownRestrictionClosesItsLocation(_ directive: String) throws {
        let draft = try draft("location / { auth_request /a; \(pass) } location /x/ { \(directive) \(pass) }")
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/x/y") == .closed && tenant.decision("GET", "/") == .anyCaller)
        #expect(draft.notes.contains { $0.kind == .closed })
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test(arguments: ["deny all;", "auth_basic x;", "something_new on;"])
    func restrictionOfTheServerClosesItsLocations(_ directive: String) throws {
        let text = "location / { auth_request /a; \(pass) }"
        #expect(try draft(text, server: directive).tenant("shop").decision("GET", "/") == .closed)
        #expect(try draft(text, http: directive).tenant("shop").decision("GET", "/") == .closed)
        let open = text.replacing("auth_request /a;", with: "")
        #expect(try draft(open, server: directive).tenant("shop").decision("GET", "/") == .closed)
    }

    @Test func regexesComeBeforePrefixes() throws {
        let draft = try draft(
            "location /a/ { \(pass) } location ~ ^/a/b$ { auth_request /x; \(pass) } location ^~ /a/c/ { \(pass) } location / { \(pass) }"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/a/b") == .anyCaller)
        #expect(tenant.decision("GET", "/a/c/x") == .open && tenant.decision("GET", "/a/x") == .open)
    }

    @Test func restrictionByUntoldRegexKeepsAllClosedThatItMayBeAbout() throws {
        let draft = try draft(
            "location ~ [.]php$ { deny all; \(pass) } location / { \(pass) } location = /health { \(pass) }"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/x") == .closed && tenant.decision("GET", "/health") == .open)
    }

    @Test func pathsWithoutBackendAreClosed() throws {
        let draft = try draft("location /api/ { auth_request /a; \(pass) } location /files/ { root /w; }")
        #expect(draft.tenants.map(\.pathPrefix?.text) == ["/api"])
        #expect(try draft.tenant("shop-api").decision("GET", "/files/x") == .closed)
    }

    /// Path, action and rewrite of each route.
    private func told(_ tenant: DraftTenant) -> [String] {
        tenant.routes.map { route in
            let action =
                switch route.action {
                case .backend(let name): name
                case .split(let shares): shares.map { "\($0.backend) \($0.weight)" }.joined(separator: ", ")
                case .redirect(let to, let status): "\(status) \(to)"
                case .respond(let status, let body): "\(status) \(body ?? "-")"
                }
            return "\(route.path): \(action)\(route.rewrite.map { " as \($0)" } ?? "")"
        }
    }

    @Test(arguments: [
        ("location /old/ { return 301 /new$request_uri; }", "/old/**: 301 /new/old/**"),
        ("location /old/ { return 308 https://other.test$request_uri; }", "/old/**: 308 https://other.test/old/**"),
        ("location = /a { return 302 $scheme://$host/b$is_args$args; }", "/a: 302 /b"),
        ("location = /a { return https://b.test/; }", "/a: 302 https://b.test/"),
        ("location = /robots.txt { return 200 'User-agent: *'; }", "/robots.txt: 200 User-agent: *"),
        ("location /v1/ { return 410; }", "/v1/**: 410 -"),
        ("location /old/ { rewrite ^/old/(.*)$ /new/$1 permanent; }", "/old/**: 301 /new/**"),
    ])
    func answersBecomeRoutesThatAreOpen(location: String, route: String) throws {
        let draft = try draft("\(location) location / { auth_request /x; \(pass) }")
        let tenant = try draft.tenant("shop")
        #expect(told(tenant) == [route])
        let path = try #require(tenant.routes.first?.path).replacing("/**", with: "/z")
        #expect(tenant.decision("GET", path) == .open && tenant.decision("GET", "/") == .anyCaller)
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test(arguments: [
        "return 301 /new/$arg_x;", "return 444;", "return 304;", "rewrite ^/a/([0-9]+)$ /b/$1 permanent;",
        "rewrite ^/a/(.*)$ /b/$1 last; \("proxy_pass http://127.0.0.1:9001;")", "return 200 $remote_addr;",
    ])
    func answersThatCannotBeSaidAreClosed(_ directive: String) throws {
        let draft = try draft("location /a/ { \(directive) } location / { \(pass) }")
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/a/x") == .closed && tenant.routes == [])
        #expect(draft.notes.contains { $0.kind == .closed })
    }

    @Test func locationsOfOtherBackendsBecomeRoutes() throws {
        let draft = try draft(
            """
            location / { \(pass) }
            location /api/ { proxy_pass http://127.0.0.1:9002; }
            location /api/v1/ { proxy_pass http://127.0.0.1:9002/v2/; }
            location /reports/ { proxy_pass http://127.0.0.1:9003/; client_max_body_size 5m; }
            location /old/ { rewrite ^/old/(.*)$ /new/$1 break; \(pass) }
            location = /health { proxy_pass http://127.0.0.1:9002/status; }
            location = /api/plain { \(pass) }
            """
        )
        #expect(draft.tenants.count == 1)
        let tenant = try draft.tenant("shop")
        #expect(
            told(tenant) == [
                "/reports/**: reports as /**", "/api/plain: default", "/api/v1/**: 127-0-0-1-9002 as /v2/**",
                "/api/**: 127-0-0-1-9002",
                "/health: 127-0-0-1-9002 as /status", "/old/**: default as /new/**",
            ]
        )
        #expect(tenant.routes.first { $0.path == "/reports/**" }?.bodyBytes?.text == "5MiB")
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)\n\(DraftWriter.text(of: draft))")
    }

    @Test func sharesBecomeASplit() throws {
        let draft = try draft(
            "location / { proxy_pass http://$up; } location /x/ { proxy_pass http://127.0.0.1:9002; }",
            http: "split_clients $remote_addr $up { 5% 127.0.0.1:9002; * 127.0.0.1:9001; }"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.backend.servers.map(\.url.text) == ["http://127.0.0.1:9001"])
        #expect(told(tenant).last == "/**: 127-0-0-1-9002 5, default 95")
        #expect(told(tenant).count == 2)
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)\n\(DraftWriter.text(of: draft))")
    }

    @Test func serverThatSendsToHTTPSIsAKey() throws {
        let text = """
            server { listen 80; server_name shop.test; return 301 https://$host$request_uri; }
            server { listen 443 ssl; server_name shop.test; ssl_certificate c.pem; ssl_certificate_key k.pem; location / { \(pass) } }
            """
        let draft = try NginxTranslation.draft(SourceFile(name: "n.conf", text: text), MigrationSample.answers)
        #expect(draft.redirectsToHTTPS == Origin(file: "n.conf", line: 1))
        #expect(draft.listeners.map(\.isTLS) == [true, false])
        #expect(DraftWriter.text(of: draft).contains("\n  redirect_https: true  # n.conf:1\n"))
    }

    @Test func askedConditionsClose() throws {
        let draft = try draft(
            "location / { auth_request /a; \(pass) } location = /a { internal; proxy_pass http://127.0.0.1:4180/oauth2/auth?allowed_groups=x; }"
        )
        #expect(try draft.tenant("shop").decision("GET", "/") == .closed)
    }

    @Test func fieldsThatTheAppTrustsAreRemoved() throws {
        let draft = try draft(
            """
            auth_request_set $u $upstream_http_x_auth_request_user;
            location / { auth_request /a; proxy_set_header X-U $u; proxy_set_header X-G $geo; proxy_set_header X-E e;
              proxy_set_header X-N ""; proxy_set_header Host $host; \(pass) }
            """
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.identity.map(\.name) == ["X-U"] && tenant.setFields.map(\.name) == ["X-E"])
        #expect(tenant.removedFields.map(\.text) == ["X-G", "X-N"])
    }

    @Test func tokensOfNginxPlusNeedTheirIssuer() throws {
        let draft = try draft(
            "location / { auth_jwt api token=$cookie_session; auth_jwt_key_file keys.json; proxy_set_header X-U $jwt_claim_sub; \(pass) }"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.tokenPlaces.map(\.text) == ["cookie:session"] && tenant.leeway?.text == "0s")
        #expect(
            tenant.issuers.first?.keys == .setFile(DraftText(literal: "keys.json", Origin(file: "n.conf", line: 4)))
        )
        #expect(tenant.identity.map(\.value.text) == ["sub"])
        let text = "server { server_name a.test; location / { auth_jwt x; auth_jwt_key_file k; \(pass) } }"
        #expect(throws: UntranslatableFile.self) {
            try NginxTranslation.draft(SourceFile(name: "n", text: text), InitAnswers())
        }
    }

    @Test func plainListenersOfSecureTenantsAreLeftOut() throws {
        let draft = try draft(
            "location / { auth_request /a; \(pass) }",
            server: "listen 443 ssl; ssl_certificate c.pem; ssl_certificate_key k.pem;"
        )
        #expect(draft.listeners.map(\.address.text) == ["0.0.0.0:443"] && draft.listeners.allSatisfy(\.isTLS))
    }

    @Test func limitsAreTranslated() throws {
        let draft = try draft(
            "location /api/ { limit_req zone=z burst=5; \(pass) } location / { \(pass) }",
            http: "limit_req_zone $binary_remote_addr zone=z:1m rate=30r/m;"
        )
        let tenant = try draft.tenant("shop")
        #expect(tenant.rateLimits.map(\.rate.text) == ["30/m"] && tenant.rateLimits.first?.burst == 6)
        #expect(tenant.rateLimits.first?.path == "/api/**" && tenant.bodyBytes?.text == "1MiB")
    }

    @Test func clientCertificatesAreNeededOrItIsClosed() throws {
        let tls =
            "listen 443 ssl; ssl_certificate c.pem; ssl_certificate_key k.pem; ssl_client_certificate ca.pem; ssl_verify_client"
        let text = "location / { auth_request /a; \(pass) }"
        #expect(try draft(text, server: "\(tls) on;").tenant("shop").certificate?.clientAuthorities?.text == "ca.pem")
        #expect(try draft(text, server: "\(tls) optional;").tenant("shop").decision("GET", "/") == .closed)
    }
}
