import NIOCore
import TestSupport
import Testing
import Verification

/// A session's past token and its next one.
struct SampleSession {
    let old: String
    let new: String
    /// Refresh tokens, for tenants that use them.
    let oldRefresh = "refresh-one-9f8e7d6c5b4a"
    let newRefresh = "refresh-two-0a1b2c3d4e5f"

    /// The response of a provider that rotates refresh tokens.
    var pair: JSONObject { ["access_token": .string(new), "refresh_token": .string(newRefresh)] }

    /// As ``GatewaySetup/refreshingCookies(_:call:tenant:)`` has them.
    var cookies: String { "Cookie: theme=dark; access=\(old); refresh=\(oldRefresh); lang=en" }
}

extension GatewayFixture {
    /// - Parameters:
    ///   - claims: Of the old token, besides its `jti` and `sid`.
    ///   - next: Of the new one.
    func session(_ claims: JSONObject = [:], next: JSONObject = [:]) throws -> SampleSession {
        var old: JSONObject = ["jti": "old", "sid": "s1"]
        for claim in claims.members { old[claim.name] = claim.value }
        var new: JSONObject = ["jti": "new", "sid": "s1"]
        for claim in next.members { new[claim.name] = claim.value }
        let session = SampleSession(old: try token(old), new: try token(new))
        keepSecret(session.oldRefresh)
        keepSecret(session.newRefresh)
        return session
    }

    /// The requests at the backend: method, target, and which token.
    func visits(_ session: SampleSession) -> [String] {
        backend.requests.map { request in
            let head = request.fields.description
            let token = head.contains(session.new) ? "new" : head.contains(session.old) ? "old" : "none"
            return "\(request.method) \(request.target) \(token)"
        }
    }

    /// Refresh calls at the backend.
    var refreshCalls: [RecordedRequest] { backend.requests.filter { $0.head.path == RefreshingBackend.refreshPath } }

    /// Repeats a request until the response matches: background results arrive a turn of the event loop later.
    func response(_ ask: () async throws -> RawResponse, until holds: (RawResponse) -> Bool) async throws -> RawResponse
    {
        let end = NIODeadline.now() + .patience
        repeat {
            let response = try await ask()
            if holds(response) { return response }
        } while NIODeadline.now() < end
        throw NothingCame(description: "waited in vain for an answer")
    }
}

/// Expects the new token in the tenant's header, readable across origins and not cached.
func expectDelivered(
    _ response: RawResponse,
    _ token: String,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let fields = response.fields
    #expect(fields["X-Refreshed-Token"] == [token], "\(comment)", sourceLocation: sourceLocation)
    #expect(
        fields["Access-Control-Expose-Headers"] == ["X-Refreshed-Token"],
        "\(comment)",
        sourceLocation: sourceLocation
    )
    #expect(fields["Cache-Control"] == ["no-store"], "\(comment)", sourceLocation: sourceLocation)
}

/// Expects the backend's own 401.
func expectBackendsRefusal(
    _ response: RawResponse,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 401, "\(comment)", sourceLocation: sourceLocation)
    #expect(
        response.fields["WWW-Authenticate"] == ["Bearer realm=\"backend\""],
        "\(comment)",
        sourceLocation: sourceLocation
    )
    #expect(response.fields["X-Of-The-Backend"] == ["1"], "\(comment)", sourceLocation: sourceLocation)
    #expect(response.body.text == "past", "\(comment)", sourceLocation: sourceLocation)
}

/// Expects no new token and no changed cookie.
func expectNothingDelivered(
    _ response: RawResponse,
    _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for name in ["X-Refreshed-Token", "Set-Cookie", "Access-Control-Expose-Headers"] {
        #expect(response.fields[name] == [], "\(comment)", sourceLocation: sourceLocation)
    }
}
