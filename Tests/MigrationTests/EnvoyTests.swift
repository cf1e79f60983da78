import Testing

@testable import Migration

struct EnvoyTests {
    /// One virtual host of one cluster, with filters and routes as given.
    private func draft(
        filters: String = "",
        routes: String = "{ match: { prefix: / }, route: { cluster: c } }",
        manager: String = "",
        clusters: String = "",
        _ answers: InitAnswers = MigrationSample.answers
    ) throws -> Draft {
        let text = """
            static_resources:
              listeners:
              - address: { socket_address: { address: 127.0.0.1, port_value: 8000 } }
                filter_chains:
                - filters:
                  - name: http
                    typed_config:
                      \(manager)
                      route_config: { virtual_hosts: [ { name: v, domains: [shop.test], routes: [ \(routes) ] } ] }
                      http_filters: [ \(filters) ]
              clusters:
              - name: c
                load_assignment: { endpoints: [ { lb_endpoints: [ { endpoint: { address: { socket_address:
                  { address: 127.0.0.1, port_value: 9001 } } } } ] } ] }
              \(clusters.isEmpty ? "" : "- \(clusters)")
            """
        return try EnvoyTranslation.draft(SourceFile(name: "e.yaml", text: text), answers)
    }

    private func jwt(_ rules: String, provider: String = "") -> String {
        """
        { name: envoy.filters.http.jwt_authn, typed_config: { providers: {
          id: { issuer: https://id.test, audiences: [a], remote_jwks: { http_uri: { uri: https://id.test/jwks } } \(provider) },
          other: { issuer: https://other.test, local_jwks: { filename: other.json } } },
          rules: [ \(rules) ] } }
        """
    }

    private let all = "{ match: { prefix: / }, requires: { provider_name: id } }"

    @Test func pathsWithoutRuleAreOpen() throws {
        let tenant = try draft(
            filters: jwt("{ match: { path_separated_prefix: /api }, requires: { provider_name: id } }")
        )
        .tenant("shop")
        #expect(tenant.decision("GET", "/x") == .open && tenant.decision("GET", "/api/x") == .anyCaller)
        #expect(tenant.issuers.map(\.issuer?.text) == ["https://id.test"])
    }

    @Test func rulesOfOtherProvidersAreClosed() throws {
        let other = "{ match: { path: /other }, requires: { provider_name: other } }"
        let draft = try draft(filters: jwt("\(all.replacing("prefix: /", with: "path: /a")), \(other)"))
        #expect(try draft.tenant("shop").decision("GET", "/other") == .closed)
        #expect(try draft.tenant("shop").issuers.count == 1)
    }

    @Test(arguments: [
        "requires_all: { requirements: [ { provider_name: id }, { provider_name: other } ] }", "something_new: {}",
        "provider_and_audiences: { provider_name: id, audiences: [b] }",
    ])
    func requirementsThatCannotBeToldAreClosed(_ needed: String) throws {
        let rules =
            "{ match: { path: /a }, requires: { provider_name: id } }, { match: { path: /b }, requires: { \(needed) } }"
        let tenant = try draft(filters: jwt(rules)).tenant("shop")
        #expect(tenant.decision("GET", "/a") == .anyCaller && tenant.decision("GET", "/b") == .closed)
    }

    @Test func tokensThatMayBeMissingLeaveItOpen() throws {
        let rule =
            "{ match: { prefix: / }, requires: { requires_any: { requirements: [ { provider_name: id }, { allow_missing: {} } ] } } }"
        #expect(try draft(filters: jwt(rule)).tenant("shop").decision("GET", "/") == .open)
    }

    @Test(arguments: [
        "{ name: envoy.filters.http.ext_authz }", "{ name: envoy.filters.http.lua, typed_config: {} }",
        "{ name: envoy.filters.http.basic_auth }",
    ])
    func unknownFilterCloses(_ filter: String) throws {
        let draft = try draft(filters: "\(jwt(all)), \(filter)")
        #expect(try draft.tenant("shop").decision("GET", "/") == .closed)
        #expect(try self.draft(filters: filter).tenant("shop").decision("GET", "/") == .closed, "without tokens")
        #expect(draft.notes.contains { $0.kind == .closed && $0.text.contains("does not know") })
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test(arguments: ["max_lifetime: 60s", "subjects: { exact: x }", "something_new: 1"])
    func unknownProviderSettingCloses(_ setting: String) throws {
        let tenant = try draft(filters: jwt(all, provider: ", \(setting)")).tenant("shop")
        #expect(tenant.decision("GET", "/") == .closed)
    }

    @Test func unknownManagerSettingCloses() throws {
        #expect(
            try draft(filters: jwt(all), manager: "something_new: 1").tenant("shop").decision("GET", "/") == .closed
        )
    }

    private func rbac(_ action: String, _ policies: String) -> String {
        "{ name: envoy.filters.http.rbac, typed_config: { rules: { action: \(action), policies: { \(policies) } } } }"
    }

    private func role(_ name: String) -> String {
        """
        { metadata: { filter: envoy.filters.http.jwt_authn, path: [ { key: c }, { key: role } ],
          value: { string_match: { exact: \(name) } } } }
        """
    }

    @Test func rolesOfPoliciesAreNeeded() throws {
        let policies = """
            admins: { permissions: [ { url_path: { path: { prefix: /admin/ } } } ], principals: [ \(role("admin")) ] },
            some: { permissions: [ { url_path: { path: { prefix: /admin/x/ } } } ], principals: [ \(role("helper")) ] },
            rest: { permissions: [ { not_rule: { url_path: { path: { prefix: /admin/ } } } } ], principals: [ { any: true } ] }
            """
        let tenant = try draft(filters: "\(jwt(all)), \(rbac("ALLOW", policies))").tenant("shop")
        #expect(tenant.decision("GET", "/orders") == .anyCaller)
        #expect(tenant.decision("GET", "/admin/jobs") == .signedIn(roles: ["admin"]))
        #expect(tenant.decision("GET", "/admin/x/y") == .signedIn(roles: ["admin", "helper"]))
    }

    @Test func policiesThatCannotBeToldLetNobodyIn() throws {
        let policies =
            "a: { permissions: [ { any: true } ], principals: [ { source_ip: { address_prefix: 10.0.0.0 } } ] }"
        #expect(
            try draft(filters: "\(jwt(all)), \(rbac("ALLOW", policies))").tenant("shop").decision("GET", "/") == .closed
        )
    }

    @Test func deniedPathsAreClosed() throws {
        let policies = "a: { permissions: [ { url_path: { path: { exact: /x } } } ], principals: [ { any: true } ] }"
        let tenant = try draft(filters: "\(jwt(all)), \(rbac("DENY", policies))").tenant("shop")
        #expect(tenant.decision("GET", "/x") == .closed && tenant.decision("GET", "/y") == .anyCaller)
    }

    @Test func routesOfEveryKindBecomeRoutes() throws {
        let next =
            "{ name: next, load_assignment: { endpoints: [ { lb_endpoints: [ { endpoint: { address: { socket_address: "
            + "{ address: 127.0.0.1, port_value: 9002 } } } } ] } ] } }"
        let routes = """
            { match: { path: /gone }, direct_response: { status: 410, body: { inline_string: "no more" } } },
            { match: { prefix: /old/ }, redirect: { prefix_rewrite: /new/ } },
            { match: { path_separated_prefix: /blog }, redirect: { host_redirect: blog.test, response_code: FOUND } },
            { match: { prefix: /api/, headers: [ { name: x-beta, string_match: { exact: "1" } } ] }, route: { cluster: next } },
            { match: { prefix: /api/v1/ }, route: { cluster: next, prefix_rewrite: /v2/, timeout: 60s } },
            { match: { prefix: /shares/ }, route: { weighted_clusters: { clusters: [ { name: c, weight: 95 }, { name: next, weight: 5 } ] } } },
            { match: { prefix: /next }, route: { cluster: next } },
            { match: { prefix: / }, route: { cluster: c } }
            """
        let draft = try draft(filters: jwt(all), routes: routes, clusters: next)
        let tenant = try draft.tenant("shop")
        #expect(draft.tenants.count == 1 && tenant.pathPrefix == nil)
        #expect(tenant.backends.map(\.name) == ["next"])
        let told = tenant.routes.map { "\($0.path) \($0.headers.map(\.name)) \($0.action) \($0.rewrite ?? "-")" }
        #expect(
            Set(told) == [
                "/gone [] respond(status: 410, body: Optional(\"no more\")) -",
                "/old/** [] redirect(to: \"/new/**\", status: 301) -",
                "/blog/** [] redirect(to: \"https://blog.test/blog/**\", status: 302) -",
                "/api/** [\"x-beta\"] backend(\"next\") -", "/api/v1/** [] backend(\"next\") /v2/**",
                "/shares/** [] split([Migration.DraftRoute.Share(backend: \"default\", weight: 95), "
                    + "Migration.DraftRoute.Share(backend: \"next\", weight: 5)]) -",
                "/next/** [] backend(\"next\") -",
            ]
        )
        #expect(tenant.routes.first { $0.path == "/api/v1/**" }?.responseTimeout?.text == "1m")
        #expect(tenant.decision("GET", "/old/x") == .anyCaller)
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)\n\(DraftWriter.text(of: draft))")
    }

    @Test func ruleUnderConditionOfAFieldIsClosed() throws {
        let rule = "{ match: { prefix: /a, headers: [ { name: x-b, string_match: { exact: c } } ] } }"
        let tenant = try draft(filters: jwt("\(rule), \(all)")).tenant("shop")
        #expect(tenant.decision("GET", "/a") == .anyCaller)
    }

    @Test(arguments: [
        "redirect: { https_redirect: true }", "redirect: { host_redirect: a.test, strip_query: true }",
        "direct_response: { status: 200, body: { filename: x } }",
        "route: { weighted_clusters: { clusters: [ { name: c, weight: 0 } ] } }",
    ])
    func routesThatCannotBeSaidAreClosed(_ action: String) throws {
        let routes = "{ match: { prefix: /x/ }, \(action) }, { match: { prefix: / }, route: { cluster: c } }"
        let draft = try draft(filters: jwt(all), routes: routes)
        let tenant = try draft.tenant("shop")
        #expect(tenant.decision("GET", "/x/y") == .closed && tenant.decision("GET", "/") == .anyCaller)
        #expect(draft.notes.contains { $0.kind == .closed } && tenant.routes == [])
    }

    @Test func routesThatMayRestrictAreClosed() throws {
        let routes = """
            { match: { path: /gone }, direct_response: { status: 403 } }, { match: { prefix: /api }, route: { cluster: c } },
            { match: { prefix: / }, route: { cluster: c }, typed_per_filter_config: { x: { a: 1 } } }
            """
        let draft = try draft(filters: jwt(all), routes: routes)
        #expect(draft.tenants.map(\.name) == ["shop", "shop-api"])
        #expect(try draft.tenant("shop").decision("GET", "/x") == .closed)
        #expect(try draft.tenant("shop-api").decision("GET", "/api/x") == .anyCaller)
        #expect(draft.read().errors.isEmpty, "\(draft.read().errors)")
    }

    @Test func listenerWithoutItsCertificateIsForThisMachineOnly() throws {
        let text = """
            static_resources:
              listeners:
              - address: { socket_address: { address: 0.0.0.0, port_value: 8000 } }
                filter_chains: [ { filters: [ \(Self.manager("a")) ] } ]
              - address: { socket_address: { address: 0.0.0.0, port_value: 8443 } }
                filter_chains: [ { transport_socket: { name: tls }, filters: [ \(Self.manager("b")) ] } ]
              clusters: [ { name: c } ]
            """
        let draft = try EnvoyTranslation.draft(SourceFile(name: "e.yaml", text: text), MigrationSample.answers)
        #expect(draft.listeners.map(\.address.text) == ["0.0.0.0:8000", "127.0.0.1:8443"])
        #expect(try draft.tenant("a").decision("GET", "/") == .open)
        #expect(try draft.tenant("b").decision("GET", "/") == .closed)
    }

    @Test func certificateIsThatOfItsOwnListener() throws {
        let tls = """
            { typed_config: { common_tls_context: { tls_certificates: [ { certificate_chain: { filename: c.pem },
              private_key: { filename: k.pem } } ] } } }
            """
        let text = """
            static_resources:
              listeners:
              - address: { socket_address: { address: 0.0.0.0, port_value: 8000 } }
                filter_chains: [ { filters: [ \(Self.manager("a")) ] } ]
              - address: { socket_address: { address: 0.0.0.0, port_value: 8443 } }
                filter_chains: [ { transport_socket: \(tls), filters: [ \(Self.manager("b")) ] } ]
              clusters: [ { name: c } ]
            """
        let draft = try EnvoyTranslation.draft(SourceFile(name: "e.yaml", text: text), MigrationSample.answers)
        #expect(try draft.tenant("a").certificate == nil)
        #expect(try draft.tenant("b").certificate?.chain.text == "c.pem")
        #expect(draft.listeners.map(\.address.text) == ["0.0.0.0:8443"])
    }

    private static func manager(_ host: String) -> String {
        """
        { typed_config: { http_filters: [], route_config: { virtual_hosts: [ { domains: [\(host).test], routes: [
          { match: { prefix: / }, route: { cluster: c } } ] } ] } } }
        """
    }

    @Test func keysInTheTextAreWrittenBesideIt() throws {
        let filter = jwt(all).replacing(
            "remote_jwks: { http_uri: { uri: https://id.test/jwks } }",
            with: "local_jwks: { inline_string: '{\"keys\":[]}' }"
        )
        let draft = try draft(filters: filter)
        #expect(draft.files == [DraftFile(name: "jwks-id.json", content: "{\"keys\":[]}")])
    }

    @Test(arguments: ["a: [", "- a", "", "static_resources: { listeners: [] }", "a: &a [*a]"])
    func whatIsNoConfigurationIsReported(_ text: String) {
        #expect(throws: UntranslatableFile.self) {
            try EnvoyTranslation.draft(SourceFile(name: "e.yaml", text: text), InitAnswers())
        }
    }

    @Test func aliasesThatStandForTooMuchAreRefused() {
        var text = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            text += "b\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        #expect { try SourceNode.read(text, file: "e.yaml") } throws: {
            ($0 as? UntranslatableFile)?.description.contains("fewer aliases") == true
        }
    }
}
