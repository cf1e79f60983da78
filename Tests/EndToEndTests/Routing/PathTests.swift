import Testing

/// Canonical paths: rules match exactly what the backend gets (RFC 3986 sections 5.2.4 and 6.2.2).
@Suite struct PathTests {
    private static let open = GatewaySetup(tenant: "access: [ { path: /**, allow: anyone } ]")

    /// `/open` for everyone, `/open/admin` with a token.
    private static let guarded = GatewaySetup(
        tenant: """
            access:
              - { path: /open/admin/**, allow: { roles: [admin] } }
              - { path: /open/**, allow: anyone }
            """
    )

    @Test func pathsAreForwardedInCanonicalForm() async throws {
        try await withGateway(Self.open) { fixture async throws in
            for (sent, forwarded) in [
                ("/a/b/", "/a/b/"), ("/a/b/c/./../../g", "/a/g"), ("/%7Euser%2D1", "/~user-1"), ("/a/%2e%2e/b", "/b"),
                ("/a//b", "/a//b"), ("///a", "/a"), ("/a;v=1/b;w", "/a;v=1/b;w"), ("/caf%c3%a9", "/caf%c3%a9"),
            ] {
                let response = try await fixture.request(sent)
                try #require(response.status == 200, "\(sent)")
                #expect(try await fixture.backend.arrivals.next().target == forwarded, "\(sent)")
            }
        }
    }

    @Test func queryIsForwardedUnchanged() async throws {
        try await withGateway(Self.open) { fixture async throws in
            let queries = [
                "?", "?a=1&b=2", "?x=/../y", "?x=%2f%5c%00", "?a=%41", "?a=b?c", "?//", "?a;b", "?%zz", "?token=&&",
            ]
            for query in queries {
                try #require(try await fixture.request("/p" + query).status == 200, "\(query)")
                #expect(try await fixture.backend.arrivals.next().target == "/p" + query)
            }
        }
    }

    @Test func pathsWithTwoReadingsAreRefused() async throws {
        try await withGateway(Self.open) { fixture async throws in
            for path in ["/a%2fb", "/a\\b", "/..;/b", "/%c0%ae%c0%ae/b", "/../a", "/a//../b", "/%252e%252e/a"] {
                expectRefusal(try await fixture.request(path), 400, "ambiguous_path", path)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func everySpellingOfGuardedPathIsGuarded() async throws {
        try await withGateway(Self.guarded) { fixture async throws in
            let spellings = [
                "/open/admin", "/open/admin/", "/open/admin/x", "/open/./admin/x", "/open/x/../admin/x",
                "/open/%61dmin/x", "/open/%2e/admin/x", "/open//admin/x", "//open/admin/x", "/open///admin//x",
                "/open/admin;a=1/x", "/open;a=1/admin/x", "/open/admin;/x", "/open/;a/admin/x",
                "/x/../open/admin/x", "/open/admin/x?/open/y", "http://app.test/open/admin/x",
            ]
            for spelling in spellings {
                let status = try await fixture.request(spelling).status
                #expect(status == 401 || status == 400, "\(spelling)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
