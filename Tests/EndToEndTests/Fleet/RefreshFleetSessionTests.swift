import Testing
import Verification

/// One session used at several instances.
@Suite(.serialized) struct RefreshFleetSessionTests {
    @Test func refreshTokenCapturedAtOneInstanceIsUsedAtOthers() async throws {
        let setup = GatewaySetup.rotatingBearer(
            "from: vault",
            "vault: { capture: [ { path: \(RotatingProvider.signInPath) } ] }",
            "grace: 7d",
            call: "send: refresh_token_json",
            leeway: "1s"
        )
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start()
            let session = try await Self.signIn(at: all[0])
            scene.provider.end(session.access)
            // The first refreshed token expires soon.
            scene.provider.next(claims: ["iat": TestIssuer.fromNow(-60), "exp": TestIssuer.fromNow(3)])
            let clients = try await RefreshClients(50, at: all[1])
            try await clients.ask(session.bearer)
            let second = try await Self.expectDelivered(clients, session, generation: 1, scene)
            #expect(scene.provider.calls == 1)
            try await until("that is past") {
                try await all[2].visit("/x", second.bearer).fields["X-Refreshed-Token"] != []
            }
            // The third instance used the refresh token that the second had got.
            let third = try await RefreshClients(50, at: all[2])
            try await third.ask(second.bearer)
            let last = try await Self.expectDelivered(third, session, generation: 2, scene)
            #expect(scene.provider.calls == 2)
            #expect(Set([session.refresh, second.refresh, last.refresh]).count == 3)
            for used in [session, second] { #expect(scene.provider.presentations(of: used.refresh) == 1) }
            #expect(scene.provider.reuses == 0)
            try await scene.expectNoSecrets()
        }
    }

    @Test func tokenRefreshedAtOneInstanceIsDeliveredByAnother() async throws {
        try await withRefreshFleet(.rotatingBearer("within: 1h", call: "send: bearer")) { scene in
            let all = try await scene.start()
            let session = try scene.provider.signIn(["exp": TestIssuer.fromNow(600)])
            let first = try await all[0].visit("/x", session.bearer)
            #expect(first.status == 200)
            #expect(first.fields["X-Refreshed-Token"] == [], "nobody waits for a token that is still good")
            try await scene.provider.asked.next()
            for instance in [all[1], all[0], all[2]] {
                try await until("the new token is delivered") {
                    let response = try await instance.visit("/x", session.bearer)
                    #expect(response.status == 200)
                    let new = try scene.provider.current(session).access
                    return response.fields["X-Refreshed-Token"] == [new] && new != session.access
                }
            }
            #expect(scene.provider.calls == 1)
        }
    }

    @Test func signOutAtOneInstanceWinsOverRefreshAtAnother() async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(.unauthorized)
            scene.provider.next(.respondWhenReleased)
            let clients = try await RefreshClients.gather(20, at: [all[0], all[2]])
            try await clients.ask(session.cookies)
            try await scene.awaitWaitingRequests(40, .unauthorized)
            #expect(try await all[1].visit("/logout", method: "POST", session.cookies).status == 200)
            for instance in all {
                try await until("the sign-out has arrived") {
                    try await instance.visit("/free", session.cookies).status == 401
                }
            }
            scene.provider.release()
            let responses = try await clients.responses()
            let new = try await Self.rotated(session, scene)
            #expect(responses.count == 40)
            for response in responses {
                #expect(response.response.status == 401)
                let head = response.response.fields.description
                #expect(!head.contains(new.access) && !head.contains(new.refresh), "a late answer is for nobody")
            }
            // Its new token is refused too.
            for instance in all {
                for pair in [session, new] {
                    expectRefusal(try await instance.visit("/free", pair.cookies), 401, "token_revoked")
                }
            }
            #expect(scene.provider.calls == 1)
            #expect(try await scene.stored("refresh-result") == [])
        }
    }

    /// The tokens after the provider's rotation, delivered or not.
    private static func rotated(
        _ session: RotatingProvider.Pair,
        _ scene: RefreshScene
    ) async throws -> RotatingProvider.Pair {
        try await until("the provider has answered") { try scene.provider.current(session) != session }
        return try scene.provider.current(session)
    }

    private static func signIn(at instance: Instance) async throws -> RotatingProvider.Pair {
        let response = try await instance.visit(RotatingProvider.signInPath, method: "POST")
        #expect(response.status == 200)
        let document = try JSONParser.parse(response.body.bytes).object
        guard let access = document?["access_token"]?.string, let refresh = document?["refresh_token"]?.string else {
            throw Malformed("no tokens: \(response.body.text)")
        }
        return RotatingProvider.Pair(access: access, refresh: refresh)
    }

    /// - Returns: The tokens that the session has now.
    private static func expectDelivered(
        _ clients: RefreshClients,
        _ session: RotatingProvider.Pair,
        generation: Int,
        _ scene: RefreshScene
    ) async throws -> RotatingProvider.Pair {
        let responses = try await clients.responses()
        let new = try scene.provider.current(session)
        let bad = responses.filter { response in
            let fields = response.response.fields
            return response.response.status != 200 || response.response.body.text != "\(generation) \(response.sent)"
                || fields["X-Refreshed-Token"] != [new.access] || fields.description.contains(new.refresh)
        }
        let example = bad.first.map { "\($0.response.status) \($0.response.body.text)" } ?? ""
        #expect(bad.count == 0, "of \(responses.count), not good: \(example)")
        return new
    }
}
