import Testing

/// The one reading of a path: what rules are matched on is what the backend gets (RFC 3986 sections 5.2.4 and 6.2.2).
@Suite struct PathTests {
    private static let open = GatewaySetup(tenant: "access: [ { path: /**, allow: anyone } ]")

    /// `/open` for everyone, but `/open/admin` for those who have a token.
    private static let guarded = GatewaySetup(
        tenant: """
            access:
              - { path: /open/admin/**, allow: { roles: [admin] } }
              - { path: /open/**, allow: anyone }
            """
    )

    private static let forwardedAs: [(sent: String, forwarded: String)] = [
        ("/", "/"),
        ("/a/b", "/a/b"),
        ("/a/b/", "/a/b/"),
        ("/a/./b", "/a/b"),
        ("/a/b/.", "/a/b/"),
        ("/a/b/..", "/a/"),
        ("/a/../b", "/b"),
        ("/a/b/../../c", "/c"),
        ("/a/b/c/./../../g", "/a/g"),
        ("/mid/content=5/../6", "/mid/6"),
        ("/.", "/"),
        ("/..a/b..", "/..a/b.."),
        ("/...", "/..."),
        ("/a/.b", "/a/.b"),
        ("/%41", "/A"),
        ("/%7euser", "/~user"),
        ("/%7Euser%2D1", "/~user-1"),
        ("/a%20b", "/a%20b"),
        ("/a%3ab", "/a%3ab"),
        ("/a%3Ab", "/a%3Ab"),
        ("/caf%c3%a9", "/caf%c3%a9"),
        ("/%E2%82%AC", "/%E2%82%AC"),
        ("/a%25", "/a%25"),
        ("/100%25/x", "/100%25/x"),
        ("/a/%2e%2e/b", "/b"),
        ("/a/%2E/b", "/a/b"),
        ("/a/.%2e/b", "/b"),
        ("/a//b", "/a//b"),
        ("/a/b//", "/a/b//"),
        ("//a/b", "/a/b"),
        ("///a", "/a"),
        ("/a;v=1/b;w", "/a;v=1/b;w"),
        ("/a=b&c,d:e@f!g$h'(i)*j+k", "/a=b&c,d:e@f!g$h'(i)*j+k"),
    ]

    @Test func pathsAreForwardedInTheirCanonicalForm() async throws {
        try await withGateway(Self.open) { fixture async throws in
            for (sent, forwarded) in Self.forwardedAs {
                let response = try await fixture.request(sent)
                try #require(response.status == 200, "\(sent)")
                #expect(try await fixture.backend.arrivals.next().target == forwarded, "\(sent)")
            }
        }
    }

    @Test func theQueryIsForwardedByteForByte() async throws {
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

    private static let ambiguous = [
        "/a%2fb", "/a%2Fb", "/%2f", "/a%5cb", "/a%5Cb", "/a\\b", "/a/..\\b", "/a%00b", "/%00",
        "/a/..;/b", "/a/..;x=1/b", "/a/.;/b", "/a/%2e%2e;/b", "/..;/b",
        "/%ff", "/a%80", "/%c0%ae%c0%ae/b", "/%c0%af", "/%ed%a0%80", "/%f5%80%80%80", "/%c3",
        "/..", "/../a", "/a/../../b", "/%2e%2e/a", "/a/b/../../../c", "/./..",
        "/%", "/%4", "/%zz", "/a%2", "/%u0041", "/%%32%65",
        "/a//../b", "/a/b//../../c",
        "/%252e%252e/a", "/a%252fb", "/%2541", "/%255c", "/a%25%32%66b",
    ]

    @Test func pathsWithTwoReadingsAreRefused() async throws {
        try await withGateway(Self.open) { fixture async throws in
            for path in Self.ambiguous {
                expectRefusal(try await fixture.request(path), 400, "ambiguous_path", path)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func anAmbiguousPathIsRefusedWithAGoodTokenToo() async throws {
        try await withGateway { fixture async throws in
            for path in ["/open/..%2fadmin", "/open/..;/admin", "/open/../../admin", "/x%00"] {
                let response = try await fixture.request(path, token: try fixture.token())
                expectRefusal(response, 400, "ambiguous_path", path)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func targetsThatAreNoTargetsAreRefused() async throws {
        try await withGateway(Self.open) { fixture async throws in
            let targets = [
                "/caf\u{e9}", "/a#b", "/#", "a/b", "app.test/a", "?x=1", "http:/a", "http:app.test/a", "http:///a",
                "http://user@app.test/a", "http://app.test@evil.test/a", "ftp://app.test/a", "/a?b#c", "/a\u{7f}",
                "http://app.test:x/a",
            ]
            for target in targets {
                let client = try await fixture.connect()
                try await client.send("GET \(target) HTTP/1.1\r\nHost: app.test\r\n\r\n")
                #expect(try await client.response().status == 400, "\(target)")
                await client.close()
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aGuardedPathStaysGuardedInEverySpelling() async throws {
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

    @Test func aPathThatOnlyLooksGuardedIsOpen() async throws {
        try await withGateway(Self.guarded) { fixture async throws in
            for path in ["/open/administer", "/open/x;admin/y", "/open/a%20dmin", "/open/x?/open/admin"] {
                #expect(try await fixture.request(path).status == 200, "\(path)")
            }
        }
    }

    @Test func climbingOutOfAnOpenPathIsJudgedWhereItArrives() async throws {
        try await withGateway { fixture async throws in
            for path in ["/open/../secret", "/open/%2e%2e/secret", "/open/x/../../secret", "/open/./../secret"] {
                expectRefusal(try await fixture.request(path), 401, "missing_token", path)
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func aWideOpenReadingDoesNotOpenAGuardedOne() async throws {
        // Merged or without parameters the path is under /open; as it stands it is not, and the default guards it.
        try await withGateway { fixture async throws in
            for path in ["/x;/../open/a", "/;open/open/a", "/open;v=1/a"] {
                let status = try await fixture.request(path).status
                #expect(status == 401 || status == 400, "\(path)")
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }
}
