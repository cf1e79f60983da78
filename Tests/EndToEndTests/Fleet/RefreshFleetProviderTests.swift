import Testing
import Verification

/// The same with a provider that is slow, breaks, or talks nonsense.
@Suite(.serialized) struct RefreshFleetProviderTests {
    /// Three seconds, and longer than a lease lasts without a renewal.
    @Test(arguments: RefreshScene.Need.allCases, [3, 5])
    func everybodyWaitsForASlowAnswer(_ need: RefreshScene.Need, _ seconds: Int) async throws {
        try await withRefreshFleet { scene in
            scene.provider.next(.answersAfter(.seconds(Int64(seconds))))
            try await Self.expectRefreshedOnce(scene, need, calls: 1)
        }
    }

    @Test(arguments: RefreshScene.Need.allCases)
    func errorIsFollowedByOneMoreCall(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            scene.provider.next(.says("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"))
            try await Self.expectRefreshedOnce(scene, need, calls: 2)
        }
    }

    @Test(arguments: RefreshScene.Need.allCases)
    func connectionsThatEndWithoutAnAnswerAreFollowedByOneMoreCallEach(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            scene.provider.next(.closes, .closes)
            try await Self.expectRefreshedOnce(scene, need, calls: 3)
        }
    }

    /// What a provider answers that cannot be used, and how often it is asked before it is let be.
    struct Nonsense: Sendable, CustomTestStringConvertible {
        var testDescription: String
        let answer: String
        let calls: Int
        /// To a request whose token has expired.
        let status: Int

        static let all = [
            Nonsense(testDescription: "garbage", answer: ok("<html>come back later</html>"), calls: 1, status: 401),
            Nonsense(testDescription: "another type", answer: ok("{\"access_token\":7}"), calls: 1, status: 401),
            Nonsense(testDescription: "no token", answer: ok("{\"access_token\":\"a.b.c\"}"), calls: 1, status: 401),
            Nonsense(
                testDescription: "a huge body",
                answer: ok("{\"access_token\":\"" + String(repeating: "a", count: 2 << 20) + "\"}"),
                calls: 1,
                status: 401
            ),
            Nonsense(testDescription: "no HTTP", answer: "HELLO refresh\r\n\r\n", calls: 3, status: 503),
        ]

        private static func ok(_ body: String) -> String {
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    @Test(arguments: RefreshScene.Need.allCases, Nonsense.all)
    func nonsenseChangesNothing(_ need: RefreshScene.Need, _ nonsense: Nonsense) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.provider.always(.says(nonsense.answer))
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            let answers = try await clients.answers()
            expectNothingRefreshed(answers, 600, status: need == .expired ? nonsense.status : 401)
            if need == .unauthorized {
                #expect(answers.allSatisfy { $0.response.fields["X-Of-The-Backend"] == ["1"] })
            }
            #expect(scene.provider.calls == nonsense.calls)
            #expect(scene.provider.mostUnderWay == 1)
            // The session is as good as it was.
            scene.provider.always(nil)
            var last: [RefreshClients.Answer] = []
            try await until("a refresh is tried again") {
                let clients = try await RefreshClients(1, at: all[2])
                try await clients.ask(session.cookies)
                last = try await clients.answers()
                return last.first?.response.status == 200
            }
            expectRefreshed(last, 1, to: try scene.provider.current(session))
            #expect(scene.provider.calls == nonsense.calls + 1)
            #expect(scene.provider.reuses == 0)
        }
    }

    private static func expectRefreshedOnce(_ scene: RefreshScene, _ need: RefreshScene.Need, calls: Int) async throws {
        let all = try await scene.start()
        let session = try scene.session(need)
        let clients = try await RefreshClients.gather(at: all)
        try await clients.ask(session.cookies)
        let answers = try await clients.answers()
        expectRefreshed(answers, 600, to: try scene.provider.current(session))
        #expect(scene.provider.calls == calls)
        #expect(scene.provider.mostUnderWay == 1, "one call after the other")
        #expect(scene.provider.reuses == 0)
    }
}
