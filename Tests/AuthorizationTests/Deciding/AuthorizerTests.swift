import Authorization
import Tenants
import Testing
import UpstreamTestSupport
import Verification

/// Who gets through, and with which refusal the others do not.
struct AuthorizerTests {
    /// The outcome of a request, as a short text.
    private func mark(_ decision: RequestPipeline.Outcome) -> String {
        switch decision {
        case .malformed(let violation): "malformed \(violation.status)"
        case .refused(let refusal): "\(refusal.status) \(refusal.code.rawValue)"
        case .preflight: "preflight"
        case .redirect: "redirect"
        case .endpoint: "endpoint"
        case .needs: "needs a slow step"
        case .granted(let grant): "\(grant.outcome.label) \(grant.caller?.principal.subject ?? "nobody")"
        }
    }

    private static func rules() throws -> [AccessRule] {
        [
            try RequestPipeline.rule("/health", .anyone),
            try RequestPipeline.rule("/open/**", .anyone),
            try RequestPipeline.rule(
                "/admin/**",
                .signedIn(roles: ["admin"], scopes: ["manage"]),
                methods: ["GET", "POST"]
            ),
            try RequestPipeline.rule("/write", .signedIn(roles: [], scopes: ["read", "write"])),
            try RequestPipeline.rule("/both", .signedIn(roles: ["driver", "customer"], scopes: ["rare"])),
            try RequestPipeline.rule(
                "/staff/**",
                .signedIn(roles: ["admin", "root"], scopes: []),
                methods: ["GET", "HEAD"]
            ),
            try RequestPipeline.rule("/staff/**", .signedIn(roles: ["root"], scopes: [])),
            try RequestPipeline.rule("/reports/*/rows", .signedIn(roles: [], scopes: ["rows", "read"])),
        ]
    }

    struct Case: Sendable {
        var path: String
        var claims: KeyValuePairs<String, JSONValue?>?
        var expected: String
        var method = "GET"
    }

    @Test(arguments: [
        Case(path: "/health", claims: nil, expected: "anonymous nobody"),
        Case(path: "/health", claims: [:], expected: "granted alice"),
        Case(path: "/health", claims: ["exp": 1], expected: "anonymous nobody"),
        Case(path: "/open/a/b?c", claims: ["iss": "x"], expected: "anonymous nobody"),
        Case(path: "/", claims: nil, expected: "401 missing_token"),
        Case(path: "/", claims: [:], expected: "granted alice"),
        Case(path: "/", claims: ["iss": "https://other.test"], expected: "401 invalid_token"),
        Case(path: "/", claims: ["exp": 1], expected: "401 token_expired"),
        Case(path: "/", claims: ["nbf": 1_900_000_000], expected: "401 invalid_token"),
        Case(path: "/", claims: ["aud": 5], expected: "401 invalid_token"),
        Case(path: "/admin", claims: nil, expected: "401 missing_token"),
        Case(path: "/admin", claims: [:], expected: "403 insufficient_role"),
        Case(path: "/admin/x", claims: ["role": "admin"], expected: "403 insufficient_scope"),
        Case(path: "/admin/x", claims: ["role": "Admin", "scope": "manage"], expected: "403 insufficient_role"),
        Case(path: "/admin/x", claims: ["role": "admin", "scope": "manage"], expected: "granted alice"),
        Case(
            path: "/admin/x",
            claims: ["role": nil, "roles": ["x", "admin"], "scope": ["manage"]],
            expected: "granted alice"
        ),
        Case(path: "/admin/x", claims: ["role": "a b admin", "scope": "manage"], expected: "403 insufficient_role"),
        Case(path: "/admin/x", claims: [:], expected: "granted alice", method: "DELETE"),
        Case(path: "/admin/x", claims: [:], expected: "granted alice", method: "get"),
        Case(path: "/write", claims: [:], expected: "granted alice"),
        Case(path: "/write", claims: ["scope": "read"], expected: "403 insufficient_scope"),
        Case(path: "/write", claims: ["scope": nil], expected: "403 insufficient_scope"),
        Case(path: "/both", claims: [:], expected: "403 insufficient_scope"),
        Case(path: "/both", claims: ["role": "x", "scope": "rare"], expected: "403 insufficient_role"),
        Case(path: "/both", claims: ["role": "driver", "scope": "rare"], expected: "granted alice"),
        Case(path: "/admin/x", claims: ["exp": 1, "role": "user"], expected: "401 token_expired"),
        Case(path: "/healthy", claims: nil, expected: "401 missing_token"),
        Case(path: "/health/", claims: nil, expected: "401 missing_token"),
        Case(path: "/opened", claims: nil, expected: "401 missing_token"),
        Case(path: "/open", claims: nil, expected: "anonymous nobody"),
        Case(path: "/staff/x", claims: ["role": "admin"], expected: "granted alice"),
        Case(path: "/staff/x", claims: ["role": "admin"], expected: "granted alice", method: "HEAD"),
        Case(path: "/staff/x", claims: ["role": "admin"], expected: "403 insufficient_role", method: "DELETE"),
        Case(path: "/staff/x", claims: ["role": "admin"], expected: "403 insufficient_role", method: "get"),
        Case(path: "/staff/x", claims: ["role": "root"], expected: "granted alice", method: "DELETE"),
        Case(path: "/staff/x", claims: ["role": ["admin"]], expected: "granted alice"),
        Case(path: "/staff/x", claims: ["role": nil, "roles": "admin"], expected: "granted alice"),
        Case(path: "/staff/x", claims: ["role": nil], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": "admin,root"], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": nil, "roles": []], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": true], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": ["admin": true]], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": " admin"], expected: "403 insufficient_role"),
        Case(path: "/staff/x", claims: ["role": nil, "scope": "admin"], expected: "403 insufficient_role"),
        Case(path: "/reports/7/rows", claims: ["scope": "a read b rows"], expected: "granted alice"),
        Case(path: "/reports/a.b/rows", claims: ["scope": "read"], expected: "403 insufficient_scope"),
        Case(path: "/reports/7/rows", claims: ["scope": "readrows"], expected: "403 insufficient_scope"),
        Case(path: "/reports/7/rows", claims: ["scope": ["read rows"]], expected: "403 insufficient_scope"),
        Case(path: "/reports/7/rows", claims: ["scope": "READ ROWS"], expected: "403 insufficient_scope"),
        Case(path: "/reports/7/rows", claims: ["scope": nil, "role": "read"], expected: "403 insufficient_scope"),
        Case(path: "/reports/rows", claims: ["scope": "read"], expected: "granted alice"),
        Case(path: "/reports/7/8/rows", claims: ["scope": "read"], expected: "granted alice"),
    ])
    func ruleAndTokenDecide(expected: Case) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        let token = try expected.claims.map { try RequestPipeline.token($0) }
        let lines = token.map { ["Authorization: Bearer \($0)"] } ?? []
        #expect(
            mark(pipeline.ask(RequestPipeline.request(expected.path, method: expected.method, lines: lines)))
                == expected.expected
        )
    }

    @Test func refusalForScopesNamesThemAll() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        let refusal = pipeline.get("/write", token: try RequestPipeline.token(["scope": "read"])).refusal
        #expect(refusal?.neededScopes == ["read", "write"])
    }

    @Test func severalTokensAre400EvenWhereNoneIsNeeded() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        let token = try RequestPipeline.token()
        for path in ["/", "/health"] {
            let twice = pipeline.get(path, token: token, lines: ["Authorization: Bearer \(token)"])
            #expect(mark(twice) == "400 bad_request")
        }
    }

    @Test func tokenWithSpaceInsideIsInvalid() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        let token = try RequestPipeline.token()
        for text in [
            "\(token) x", "\(token), Bearer \(token)", "x \(token)", "\(token.dropLast(3)) \(token.suffix(3))",
        ] {
            #expect(mark(pipeline.get("/", token: text)) == "401 invalid_token", "\(text)")
        }
    }

    @Test func forgedTokenIsInvalidAndIgnoredOnOpenPaths() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        let forged = try RequestPipeline.token(forged: true)
        #expect(mark(pipeline.get("/", token: forged)) == "401 invalid_token")
        #expect(mark(pipeline.get("/health", token: forged)) == "anonymous nobody")
    }

    // MARK: Every reading of a path is checked

    @Test(arguments: [
        "/admin", "//admin", "/%61dmin/x", "/open/../admin/x", "/open/%2e%2e/admin/x", "/admin;x=1/y", "/./admin",
        "/admin;a", "/;/admin/x", "/open/./../admin", "/admin//x", "///admin//x", "/admin/x?/open/y",
        "/open/x/../../admin", "http://app.test/admin/x",
    ])
    func guardedPathStaysGuardedInEverySpelling(path: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        #expect(mark(pipeline.get(path, token: try RequestPipeline.token())) == "403 insufficient_role")
    }

    @Test(arguments: [
        "/open/admin", "/open/admin/", "/open/admin/x", "/open/./admin/x", "/open/x/../admin/x", "/open/%61dmin/x",
        "/open/%2e/admin/x", "/open//admin/x", "//open/admin/x", "/open///admin//x", "/open/admin;a=1/x",
        "/open;a=1/admin/x", "/open/admin;/x", "/open/;a/admin/x", "/x/../open/admin/x", "/open/admin/x?/open/y",
        "http://app.test/open/admin/x",
    ])
    func pathGuardedBelowAnOpenOneStaysGuarded(path: String) throws {
        let rules = [
            try RequestPipeline.rule("/open/admin/**", .signedIn(roles: ["admin"], scopes: [])),
            try RequestPipeline.rule("/open/**", .anyone),
        ]
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: rules)])
        #expect(["401 missing_token", "400 ambiguous_path"].contains(mark(pipeline.get(path))))
    }

    @Test(arguments: ["/open/administer", "/open/x;admin/y", "/open/a%20dmin", "/open/x?/admin", "/open/admin"])
    func pathThatOnlyLooksGuardedIsOpen(path: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        #expect(mark(pipeline.get(path)) == "anonymous nobody")
    }

    /// Merged or without parameters the path is under /open; as it stands it is not.
    @Test(arguments: ["/x;/../open/a", "/;open/open/a", "/open;v=1/a"])
    func openReadingDoesNotOpenAGuardedOne(path: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        #expect(["401 missing_token", "400 ambiguous_path"].contains(mark(pipeline.get(path))))
    }

    @Test(arguments: [
        "/caf\u{e9}", "/a#b", "/#", "a/b", "app.test/a", "?x=1", "http:/a", "http:app.test/a", "http:///a",
        "http://user@app.test/a", "http://app.test@evil.test/a", "ftp://app.test/a", "/a?b#c", "/a\u{7f}",
        "http://app.test:x/a",
    ])
    func targetThatIsNoneIs400(target: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])])
        #expect(["malformed 400", "400 bad_request"].contains(mark(pipeline.get(target))))
    }

    @Test func openPathIsOpenOnlyIfBothReadingsAre() throws {
        let rules = [
            try RequestPipeline.rule("/a/*/c", .anyone),
            try RequestPipeline.rule("/a/**", .signedIn(roles: ["x"], scopes: [])),
        ]
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: rules)])
        #expect(mark(pipeline.get("/a/b/c")) == "anonymous nobody")
        #expect(mark(pipeline.get("/a/b;p/c")) == "anonymous nobody")
        #expect(mark(pipeline.get("/a/b//c")) == "401 missing_token")
        #expect(mark(pipeline.get("/a;x/b/c")) == "401 missing_token")
        #expect(mark(pipeline.get("/a/b/c;x")) == "401 missing_token")
    }

    /// A backend may merge slashes and keep parameters, or the other way round: neither reading is one of the two others.
    @Test func partlyReducedReadingsAreCheckedToo() throws {
        let rules = [
            try RequestPipeline.rule("/a/*/c", .signedIn(roles: ["x"], scopes: [])),
            try RequestPipeline.rule("/a/**", .anyone),
        ]
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: rules)])
        #expect(mark(pipeline.get("/a//;x/c")) == "401 missing_token")
        #expect(mark(pipeline.get("/a//;x/c", token: try RequestPipeline.token())) == "403 insufficient_role")
        #expect(mark(pipeline.get("/a//b;x/d")) == "anonymous nobody")
    }

    @Test(arguments: ["/a%2fb", "/..;/admin", "/../admin", "/a\\b", "/%00", "/%252e%252e/admin", "/%ff", "/%3b"])
    func ambiguousPathIs400(path: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules())])
        #expect(mark(pipeline.get(path, token: try RequestPipeline.token())) == "400 ambiguous_path")
    }

    // MARK: Routing

    @Test func hostAndPrefixChooseTheTenant() throws {
        let open = [try RequestPipeline.rule("/**", .anyone)]
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(name: "all", access: open),
            try RequestPipeline.tenant(name: "shop", prefix: "/shop", access: open),
            try RequestPipeline.tenant(name: "other", host: "other.test", prefix: "/x", access: open),
        ])
        let name = { (target: String, host: String) in
            pipeline.ask(RequestPipeline.request(target, host: host)).grant?.request.tenant.tenant.name
        }
        #expect(name("/", "app.test") == "all")
        #expect(name("/shop", "APP.test:8080") == "shop")
        #expect(name("/shop/a", "app.test.") == "shop")
        #expect(name("/shop?x=1", "app.test.:80") == "shop")
        #expect(name("/sho%70", "app.test") == "shop")
        for path in ["/shopping", "/sho", "/shop/../x", "/Shop"] { #expect(name(path, "app.test") == "all", "\(path)") }
        #expect(name("/a/../shop/b", "app.test") == "shop")
        #expect(name("http://other.test/x", "app.test") == "other")
        #expect(name("http://app.test", "other.test") == "all")
        #expect(pipeline.ask(RequestPipeline.request("/", host: "other.test")).refusal == .unknownHost)
        for host in ["nobody.test", "app.test.evil.test", "xapp.test", "127.0.0.1", "[::1]:8080", "test"] {
            #expect(pipeline.ask(RequestPipeline.request("/", host: host)).refusal == .unknownHost, "\(host)")
        }
        #expect(pipeline.ask(RequestPipeline.request("http://nobody.test/")).refusal == .unknownHost)
        #expect(mark(pipeline.ask(RequestPipeline.request("/", host: "a b"))) == "400 bad_request")
        #expect(mark(pipeline.ask(RequestPipeline.request("http://app.test/", host: "bad host"))) == "400 bad_request")
    }

    @Test func wildcardStandsForOneLabelAndAnExactHostWins() throws {
        let open = [try RequestPipeline.rule("/**", .anyone)]
        var wild = try RequestPipeline.tenant(name: "wild", access: open)
        wild.hosts = [.oneLabelBelow("wild.test")]
        let exact = try RequestPipeline.tenant(name: "exact", host: "exact.wild.test", access: open)
        let pipeline = RequestPipeline([wild, exact])
        let name = { (host: String) in
            pipeline.ask(RequestPipeline.request("/", host: host)).grant?.request.tenant.tenant.name
        }
        for host in ["a.wild.test", "B.Wild.Test:80", "c.wild.test."] { #expect(name(host) == "wild", "\(host)") }
        #expect(name("exact.wild.test") == "exact")
        for host in ["wild.test", "a.b.wild.test", "awild.test", ".wild.test"] { #expect(name(host) == nil, "\(host)") }
    }

    @Test(arguments: [
        "/.gatehouse", "/.gatehouse/", "/.gatehouse/auth", "/%2egatehouse/auth", "/a/../.gatehouse/x",
        "/.gatehouse/x?y=1", "/.%67atehouse/x", "//.gatehouse/x", "/./.gatehouse/x", "/.gatehouse;a=b/x",
        "/.gatehouse//x", "http://app.test/.gatehouse/x",
    ])
    func gatewayPathsNeverReachABackend(path: String) throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])])
        #expect(pipeline.get(path).refusal == .ours)
    }

    @Test func similarPathsAreForwarded() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])])
        for path in ["/.gatehouses", "/.gatehous", "/gatehouse", "/a/.gatehouse", "/."] {
            #expect(pipeline.get(path).grant != nil, "\(path)")
        }
    }

    // MARK: Observe mode

    @Test func observeModeForwardsOnlyVerifiedIdentities() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: Self.rules(), mode: .observe)])
        #expect(mark(pipeline.get("/")) == "missing_token nobody")
        #expect(mark(pipeline.get("/", token: try RequestPipeline.token(forged: true))) == "invalid_token nobody")
        #expect(mark(pipeline.get("/admin", token: try RequestPipeline.token())) == "insufficient_role alice")
        #expect(mark(pipeline.get("/", token: try RequestPipeline.token())) == "granted alice")
        #expect(mark(pipeline.get("/%2f", token: try RequestPipeline.token())) == "ambiguous_path alice")
        #expect(mark(pipeline.get("/%2f", token: try RequestPipeline.token(forged: true))) == "ambiguous_path nobody")
    }
}
