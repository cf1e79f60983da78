import Testing
import Verification

/// Identity headers: set by the gateway, and never by the client.
@Suite struct IdentityHeaderTests {
    private static let identity = GatewaySetup(
        tenant: "identity: { headers: { X-User-Id: sub, X-User-Email: email, X-User-Role: role, X-Level: level } }"
    )

    /// Values of the field in every spelling that a backend may treat as the same (CGI turns `-` into `_`).
    private static func values(_ name: String, _ request: RecordedRequest) -> [String] {
        request.fields.lines.filter { $0.name.lowercased().replacing("_", with: "-") == name.lowercased() }.map(\.value)
    }

    /// `BackendRequestTests` and `BackendRequestPropertyTests` have the other spellings.
    @Test func claimsReplaceClientsIdentityHeaders() async throws {
        try await withGateway(Self.identity) { fixture async throws in
            let claims: JSONObject = ["email": "alice@example.test", "role": "driver", "level": 7]
            for spoofs in [[], ["X-User-Id: mallory", "x_user-id: eve", "X-Level: 9"], ["Connection: x-user-id"]] {
                _ = try await fixture.request("/x", token: try fixture.token(claims), fields: spoofs)
                let seen = try await fixture.backend.arrivals.next()
                #expect(Self.values("X-User-Id", seen) == ["alice"], "\(spoofs)")
                #expect(Self.values("X-User-Email", seen) == ["alice@example.test"])
                #expect(Self.values("X-User-Role", seen) == ["driver"])
                #expect(Self.values("X-Level", seen) == ["7"])
            }
        }
    }

    @Test func trailersCannotSetIdentity() async throws {
        try await withGateway(Self.identity) { fixture async throws in
            let head = fixture.head(
                "/open/x",
                method: "POST",
                fields: ["Transfer-Encoding: chunked", "Trailer: X-User-Id"]
            )
            let response = try await fixture.send(
                head + "1\r\na\r\n0\r\nX-User-Id: mallory\r\nX_User_Id: eve\r\nX-Sum: 1\r\n\r\n",
                method: "POST"
            )
            guard response.status == 200 else {
                #expect(response.status == 400)
                return
            }
            let seen = try await fixture.backend.arrivals.next()
            let names = seen.body.trailers.names.map { $0.replacing("_", with: "-") }
            #expect(!names.contains("x-user-id"))
        }
    }
}
