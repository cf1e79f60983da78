import Testing

/// Canonical paths: rules match exactly what the backend gets (RFC 3986 sections 5.2.4 and 6.2.2). `CanonicalPathTests`,
/// `AuthorizerTests` and `BackendRequestTests` have every spelling.
@Suite struct PathTests {
    /// `/open` for everyone, `/open/admin` with a token.
    private static let guarded = GatewaySetup(
        tenant: """
            access:
              - { path: /open/admin/**, allow: { roles: [admin] } }
              - { path: /open/**, allow: anyone }
            """
    )

    @Test func canonicalPathIsDecidedAndForwarded() async throws {
        try await withGateway(Self.guarded) { fixture async throws in
            for spelling in ["/open/admin/x", "/open/%61dmin/x", "/open//admin/x", "/x/../open/admin;a=1/x"] {
                expectRefusal(try await fixture.request(spelling), 401, "missing_token", spelling)
            }
            for path in ["/open/a%2fb", "/open/..;/b", "/../open"] {
                expectRefusal(try await fixture.request(path), 400, "ambiguous_path", path)
            }
            #expect(fixture.backend.requests.isEmpty)
            for (sent, forwarded) in [
                ("/open/%7Euser/./b//c;v=1", "/open/~user/b//c;v=1"),
                ("/x/../open/a?x=/../%2f%zz", "/open/a?x=/../%2f%zz"),
            ] {
                try #require(try await fixture.request(sent).status == 200, "\(sent)")
                #expect(try await fixture.backend.arrivals.next().target == forwarded, "\(sent)")
            }
        }
    }
}
