import TestSupport
import Testing
import Verification

/// Sessions due for a refresh while Redis is unreachable.
@Suite(.serialized) struct RefreshFleetOutageTests {
    /// Kinds of Redis outage.
    enum Outage: CaseIterable, Sendable {
        /// Connections are refused.
        case killed
        /// Connections stay open without responses.
        case paused
    }

    @Test(arguments: RefreshScene.Need.allCases, Outage.allCases)
    func rotatingRefreshTokenIsNotPresentedWithoutRedis(_ need: RefreshScene.Need, _ outage: Outage) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start(2)
            let session = try scene.session(need)
            try await begin(outage, scene)
            // Twice: before and after the outage is noticed.
            for _ in 0..<2 {
                for instance in all { expectUntouched(try await instance.visit("/x", session.cookies), need) }
            }
            #expect(scene.provider.calls == 0)
            try await end(outage, scene)
            for instance in all {
                try await until("the session is refreshed") {
                    let response = try await instance.visit("/x", session.cookies)
                    if response.status != 200 { expectUntouched(response, need) }
                    return response.status == 200
                }
            }
            #expect(scene.provider.presentations(of: session.refresh) == 1)
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
        }
    }

    @Test func tokenIsNotRefreshedAheadWithoutRedis() async throws {
        let setup = GatewaySetup.rotatingCookies(within: "1h")
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start(2)
            let session = try scene.provider.signIn(["exp": TestIssuer.fromNow(600)])
            try await begin(.killed, scene)
            for instance in all {
                let response = try await instance.visit("/x", session.cookies)
                #expect(response.status == 200)
                #expect(response.fields["Set-Cookie"] == [])
            }
            // The expired token is refused after a store lookup, so earlier requests were processed as well.
            let expired = try scene.session(.expired)
            for instance in all { expectUntouched(try await instance.visit("/x", expired.cookies), .expired) }
            #expect(scene.provider.calls == 0)
        }
    }

    /// A provider's refusal ends the session even without the store.
    @Test(arguments: Outage.allCases)
    func refusedRefreshWithoutRedisClearsCookies(_ outage: Outage) async throws {
        let setup = GatewaySetup.cookieBearer
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start(1)
            let session = try scene.session(.unauthorized)
            scene.provider.always(.says("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"))
            try await begin(outage, scene)
            let response = try await all[0].visit("/x", session.cookies)
            #expect(response.status == 401)
            #expect(response.fields["X-Of-The-Backend"] == ["1"] && response.body.text == "past")
            let cleared = response.fields["Set-Cookie"]
            #expect(cleared.count == 1 && cleared[0].hasPrefix("access=; Max-Age=0;"))
            #expect(scene.provider.calls == 1)
            let next = try await all[0].visit("/x", session.cookies)
            #expect(Problem(next)?.code == "token_revoked")
            #expect(scene.provider.calls == 1)
            try await end(outage, scene)
        }
    }

    /// Even an unacknowledged sign-out reaches the store once it is back.
    @Test func sessionEndedWithoutRedisEndsEverywhereOnceItIsBack() async throws {
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

    /// Expects that the session goes on.
    private func expectUntouched(
        _ response: RawResponse,
        _ need: RefreshScene.Need,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.fields["Set-Cookie"] == [], sourceLocation: sourceLocation)
        switch need {
        case .expired:
            #expect(response.status == 503, sourceLocation: sourceLocation)
            #expect(Problem(response)?.code == "store_unavailable", sourceLocation: sourceLocation)
            #expect(response.fields["Retry-After"] == ["1"], sourceLocation: sourceLocation)
        case .unauthorized:
            #expect(response.status == 401, sourceLocation: sourceLocation)
            #expect(response.fields["X-Of-The-Backend"] == ["1"], sourceLocation: sourceLocation)
        }
    }
}

extension GatewaySetup {
    /// A tenant whose clients refresh with the access token in a cookie.
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
