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

    @Test func claimsBecomeFields() async throws {
        try await withGateway(Self.identity) { fixture async throws in
            let claims: JSONObject = ["email": "alice@example.test", "role": "driver", "level": 7]
            _ = try await fixture.request("/x", token: try fixture.token(claims))
            let seen = try await fixture.backend.arrivals.next()
            #expect(Self.values("X-User-Id", seen) == ["alice"])
            #expect(Self.values("X-User-Email", seen) == ["alice@example.test"])
            #expect(Self.values("X-User-Role", seen) == ["driver"])
            #expect(Self.values("X-Level", seen) == ["7"])
        }
    }

    private static let spoofs: [[String]] = [
        ["X-User-Id: mallory"],
        ["x-user-id: mallory"],
        ["X-USER-ID: mallory"],
        ["X_User_Id: mallory"],
        ["X-User_Id: mallory"],
        ["x_user-id: mallory"],
        ["X-User-Id: mallory", "X-User-Id: eve", "x_user_id: trudy"],
        ["X-User-Id:"],
        ["Connection: X-User-Id", "X-User-Id: mallory"],
        ["Connection: close, x-user-id", "X-User-Id: mallory"],
        ["Connection: X_User_Id", "X_User_Id: mallory"],
    ]

    @Test func clientsIdentityHeadersAreRemovedInEverySpelling() async throws {
        try await withGateway(Self.identity) { fixture async throws in
            for fields in Self.spoofs {
                _ = try await fixture.request("/x", token: try fixture.token(), fields: fields)
                let seen = try await fixture.backend.arrivals.next()
                #expect(Self.values("X-User-Id", seen) == ["alice"], "\(fields)")
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
