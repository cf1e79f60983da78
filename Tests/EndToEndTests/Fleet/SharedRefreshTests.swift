import Testing
import Verification

/// Many requests of one session at several instances, all in need of new tokens at once.
@Suite(.serialized) struct SharedRefreshTests {
    @Test(arguments: RefreshScene.Need.allCases)
    func sixHundredRequestsAtThreeInstancesMakeOneCall(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            try await Self.expectOneCall(scene, need)
            try await scene.expectNoSecrets()
        }
    }

    /// What instances share is sealed with what the clients presented then.
    @Test(arguments: RefreshScene.Need.allCases)
    func withoutAKeyTheyShareTheResultToo(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet(.rotatingCookies(isSealed: false)) { scene in
            try await Self.expectOneCall(scene, need)
            try await scene.expectNoSecrets()
        }
    }

    /// Requests whose 401 is held keep their connections to the backend, and the refresh needs one too.
    @Test func refreshDoesNotWaitForThoseWhoWaitForIt() async throws {
        let setup = GatewaySetup.rotatingCookies("backend: { servers: [\"{backend}\"], limits: { connections: 8 } }")
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start()
            let session = try scene.session(.unauthorized)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            expectRefreshed(try await clients.answers(), 600, to: try scene.provider.current(session))
            #expect(scene.provider.calls == 1)
        }
    }

    /// Requests of many sessions come to all instances at about the same time, some just as another instance is done.
    @Test func eachSessionIsRefreshedByItselfAndEachRequestIsServed() async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let sessions = try (0..<300).map { _ in try scene.session(.expired) }
            var clients: [[RefreshClients]] = []
            for _ in sessions { clients.append(try await RefreshClients.gather(1, at: all)) }
            for (session, own) in zip(sessions, clients) { try await own.ask(session.cookies) }
            var bad: [Int] = []
            for (session, own) in zip(sessions, clients) {
                let answers = try await own.answers()
                let new = try scene.provider.current(session)
                let cookies = ["access=\(new.access)", "rt=\(new.refresh)"]
                bad += answers.filter { $0.cookies != cookies }.map(\.response.status)
            }
            #expect(bad.count == 0, "\(bad)")
            #expect(scene.provider.calls == sessions.count)
            #expect(scene.provider.reuses == 0)
        }
    }

    private static func expectOneCall(_ scene: RefreshScene, _ need: RefreshScene.Need) async throws {
        let all = try await scene.start()
        let session = try scene.session(need)
        scene.provider.next(.answersWhenReleased)
        let clients = try await RefreshClients.gather(at: all)
        try await clients.ask(session.cookies)
        try await scene.everybodyWaits(600, need)
        scene.provider.release()
        let answers = try await clients.answers()
        let new = try scene.provider.current(session)
        expectRefreshed(answers, 600, to: new)
        // Who comes later with the old ones is given the same.
        let late = try await RefreshClients.gather(2, at: all)
        try await late.ask(session.cookies)
        expectRefreshed(try await late.answers(), 6, to: new)
        #expect(scene.provider.calls == 1)
        #expect(scene.provider.presentations(of: session.refresh) == 1)
        #expect(scene.provider.reuses == 0)
    }
}
