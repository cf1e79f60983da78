import TestSupport
import Testing
import Verification

/// Sessions that are due for a refresh while Redis cannot be reached.
@Suite(.serialized) struct RefreshFleetOutageTests {
    /// How Redis goes away.
    enum Outage: CaseIterable, Sendable {
        /// Connections are refused.
        case killed
        /// Connections stand, and nothing comes over them.
        case paused
    }

    @Test(arguments: RefreshScene.Need.allCases, Outage.allCases)
    func rotatingRefreshTokenIsNotPresentedWithoutRedis(_ need: RefreshScene.Need, _ outage: Outage) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start(2)
            let session = try scene.session(need)
            try await begin(outage, scene)
            // Twice: before Redis counts as away, and after.
            for _ in 0..<2 {
                for instance in all { expectUntouched(try await instance.visit("/x", session.cookies), need) }
            }
            #expect(scene.provider.calls == 0)
            try await end(outage, scene)
            for instance in all {
                try await until("the session is refreshed") {
                    let answer = try await instance.visit("/x", session.cookies)
                    if answer.status != 200 { expectUntouched(answer, need) }
                    return answer.status == 200
                }
            }
            #expect(scene.provider.presentations(of: session.refresh) == 1)
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
        }
    }

    @Test func tokenAboutToExpireIsNotRefreshedAheadWithoutRedis() async throws {
        let setup = GatewaySetup.rotatingCookies(within: "1h")
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start(2)
            let session = try scene.provider.signIn(["exp": TestIssuer.fromNow(600)])
            try await begin(.killed, scene)
            for instance in all {
                let answer = try await instance.visit("/x", session.cookies)
                #expect(answer.status == 200)
                #expect(answer.fields["Set-Cookie"] == [])
            }
            // What has expired is refused once the store was looked for: what came before it has been looked at too.
            let expired = try scene.session(.expired)
            for instance in all { expectUntouched(try await instance.visit("/x", expired.cookies), .expired) }
            #expect(scene.provider.calls == 0)
        }
    }

    /// The provider has the last word without the store, too: where it refuses, the session is over.
    @Test(arguments: Outage.allCases)
    func refusedRefreshWithoutRedisClearsCookiesAndPassesTheBackendsAnswerOn(_ outage: Outage) async throws {
        let setup = GatewaySetup.cookieBearer
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start(1)
            let session = try scene.session(.unauthorized)
            scene.provider.always(.says("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"))
            try await begin(outage, scene)
            let answer = try await all[0].visit("/x", session.cookies)
            #expect(answer.status == 401)
            #expect(answer.fields["X-Of-The-Backend"] == ["1"] && answer.body.text == "past")
            let cleared = answer.fields["Set-Cookie"]
            #expect(cleared.count == 1 && cleared[0].hasPrefix("access=; Max-Age=0;"))
            #expect(scene.provider.calls == 1)
            let next = try await all[0].visit("/x", session.cookies)
            #expect(Problem(next)?.code == "token_revoked")
            #expect(scene.provider.calls == 1)
            try await end(outage, scene)
        }
    }

    /// What has not been acknowledged is not lost either: the sign-out reaches the store when that is back.
    @Test func sessionEndedWithoutRedisIsOverAtTheOthersWhenItIsBack() async throws {
        try await withRefreshFleet(.cookieBearer) { scene in
            let all = try await scene.start(2)
            let session = try scene.session(.unauthorized)
            scene.provider.always(.says("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"))
            try await begin(.paused, scene)
            #expect(try await all[0].visit("/x", session.cookies).status == 401)
            try await end(.paused, scene)
            try await until("the other instance refuses") {
                Problem(try await all[1].visit("/free", session.cookies))?.code == "token_revoked"
            }
        }
    }

    private func begin(_ outage: Outage, _ scene: RefreshScene) async throws {
        switch outage {
        case .killed: try await scene.server.process.kill()
        case .paused: scene.server.process.pause()
        }
    }

    private func end(_ outage: Outage, _ scene: RefreshScene) async throws {
        switch outage {
        case .killed: try await scene.server.restart()
        case .paused: scene.server.process.resume()
        }
    }

    /// Nobody has said that the session is over.
    private func expectUntouched(
        _ answer: RawResponse,
        _ need: RefreshScene.Need,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.fields["Set-Cookie"] == [], sourceLocation: sourceLocation)
        switch need {
        case .expired:
            #expect(answer.status == 503, sourceLocation: sourceLocation)
            #expect(Problem(answer)?.code == "store_unavailable", sourceLocation: sourceLocation)
            #expect(answer.fields["Retry-After"] == ["1"], sourceLocation: sourceLocation)
        case .unauthorized:
            #expect(answer.status == 401, sourceLocation: sourceLocation)
            #expect(answer.fields["X-Of-The-Backend"] == ["1"], sourceLocation: sourceLocation)
        }
    }
}

extension GatewaySetup {
    /// A tenant whose clients have the access token in a cookie, which is all that is presented.
    fileprivate static var cookieBearer: GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate: { from: ["cookie:access"], issuers: [ \(TestIssuer.entry) ] }
                refresh:
                  grace: 7d
                  call: { path: \(RotatingProvider.refreshPath), send: bearer, access_token: /access_token }
                  deliver: { cookies: { access: /access_token } }
                """
        )
    }
}
