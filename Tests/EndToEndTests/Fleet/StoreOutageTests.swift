import TestSupport
import Testing
import Verification

/// Responses of every user of the store during a Redis outage: before it is noticed and after.
@Suite(.serialized) struct StoreOutageTests {
    /// Kinds of Redis outage.
    enum Outage: CaseIterable, Sendable {
        /// Connections are refused.
        case killed
        /// Connections stay open without responses.
        case paused
    }

    enum User: CaseIterable, Sendable {
        case request, signOut, capture, vault, revoking, withdrawing, listing
    }

    @Test(arguments: User.allCases, Outage.allCases)
    func everyStoreUserRespondsDuringOutage(_ user: User, _ outage: Outage) async throws {
        var setup = GatewaySetup.rotatingBearer(
            "from: vault",
            "vault: { capture: [ { path: \(RotatingProvider.signInPath) } ] }",
            "grace: 7d",
            call: "send: refresh_token_json",
            leeway: "1s"
        )
        setup.tenant += "\nrevoke_on: [\"POST /logout\"]"
        try await withRefreshFleet(setup) { scene in
            let (first, second) = (try await scene.fleet.start(scene.server.url), try await scene.start(1)[0])
            let session = try scene.provider.signIn(["jti": "one"])
            let expired = try scene.session(.expired)
            #expect(try await first.visit("/x", session.bearer).status == 200)
            switch outage {
            case .killed: try await scene.server.process.kill()
            case .paused: scene.server.process.pause()
            }
            for isFirst in [true, false] { try await expectAnswer(user, isFirst: isFirst, first, session, expired) }
            #expect(scene.provider.calls == 0)
            switch outage {
            case .killed: try await scene.server.restart()
            case .paused: scene.server.process.resume()
            }
            // No acknowledged change is lost.
            let isSignedOut = user == .signOut
            try await until("both go by the store again") {
                guard try await first.revoke(["subject": "somebody"]).status == 200 else { return false }
                for instance in [first, second] {
                    let status = try await instance.visit("/x", session.bearer).status
                    guard status == (isSignedOut ? 401 : 200) else { return false }
                }
                return true
            }
        }
    }

    private func expectAnswer(
        _ user: User,
        isFirst: Bool,
        _ instance: Instance,
        _ session: RotatingProvider.Pair,
        _ expired: RotatingProvider.Pair
    ) async throws {
        switch user {
        case .request: #expect(try await instance.visit("/x", session.bearer).status == 200)
        case .signOut:
            let response = try await instance.visit("/logout", method: "POST", session.bearer)
            // It is in force here at once, though not acknowledged.
            #expect(response.status == (isFirst ? 503 : 401))
            #expect(Problem(response)?.code == (isFirst ? "store_unavailable" : "token_revoked"))
        case .capture:
            let response = try await instance.visit(RotatingProvider.signInPath, method: "POST")
            #expect(response.status == 200)
        case .vault:
            let response = try await instance.visit("/x", expired.bearer)
            expectRefusal(response, 503, "store_unavailable")
            #expect(response.fields["Retry-After"] != [])
        case .revoking, .withdrawing:
            let selector: JSONObject = ["subject": "other"]
            let response =
                user == .revoking ? try await instance.revoke(selector) : try await instance.withdraw(selector)
            #expect(response.status == 503)
            #expect(AdminProblemDocument(response)?.code == "store_unavailable")
        case .listing:
            let response = try await instance.list()
            #expect(response.status == 503)
            #expect(AdminProblemDocument(response)?.code == "store_unavailable")
        }
    }
}
