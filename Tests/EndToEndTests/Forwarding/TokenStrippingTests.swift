import Testing

/// `identity.token: strip`: the backend does not see the token, and everything else unchanged.
@Suite struct TokenStrippingTests {
    private static func from(_ source: String) -> GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate: { from: [\(source)], issuers: [ \(TestIssuer.entry) ] }
                identity: { headers: { X-User-Id: sub }, token: strip }
                """
        )
    }

    @Test func authorizationFieldIsStripped() async throws {
        try await withGateway(Self.from("bearer")) { fixture async throws in
            _ = try await fixture.request("/x", token: try fixture.token(), fields: ["Cookie: a=b"])
            let seen = try await fixture.backend.arrivals.next()
            #expect(seen.fields["Authorization"] == [])
            #expect(seen.fields["Cookie"] == ["a=b"])
            #expect(seen.fields["X-User-Id"] == ["alice"])
        }
    }
}
