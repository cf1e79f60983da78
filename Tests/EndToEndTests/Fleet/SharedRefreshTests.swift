import Testing
import Verification

/// Many requests of one session at several instances need new tokens at once.
@Suite(.serialized) struct SharedRefreshTests {
    @Test(arguments: RefreshScene.Need.allCases)
    func concurrentRequestsAtThreeInstancesMakeOneCall(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            try await Self.expectOneCall(scene, need)
            try await scene.expectNoSecrets()
        }
    }

    /// Shared results are sealed with the presented credential then.
    @Test(arguments: RefreshScene.Need.allCases)
    func instancesShareRefreshWithoutSealingKey(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet(.rotatingCookies(isSealed: false)) { scene in
            try await Self.expectOneCall(scene, need)
            try await scene.expectNoSecrets()
        }
    }

    /// The refresh needs a connection while requests with a held 401 use many.
    @Test func refreshDoesNotWaitForHeldRequests() async throws {
        let setup = GatewaySetup.rotatingCookies("backend: { servers: [\"{backend}\"], limits: { connections: 8 } }")
        try await withRefreshFleet(setup) { scene in
            let all = try await scene.start()
            let session = try scene.session(.unauthorized)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            expectRefreshed(try await clients.responses(), 600, to: try scene.provider.current(session))
            #expect(scene.provider.calls == 1)
        }
    }

    /// Requests of many sessions at all instances, some just as another instance finishes.
    @Test func everySessionIsRefreshedOnce() async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let sessions = try (0..<300).map { _ in try scene.session(.expired) }
            var clients: [[RefreshClients]] = []
            for _ in sessions { clients.append(try await RefreshClients.gather(1, at: all)) }
            for (session, own) in zip(sessions, clients) { try await own.ask(session.cookies) }
            var bad: [Int] = []
            for (session, own) in zip(sessions, clients) {
                let responses = try await own.responses()
                let new = try scene.provider.current(session)
                let cookies = ["access=\(new.access)", "rt=\(new.refresh)"]
                bad += responses.filter { $0.cookies != cookies }.map(\.response.status)
            }
            #expect(bad.count == 0, "\(bad)")
            #expect(scene.provider.calls == sessions.count)
            #expect(scene.provider.reuses == 0)
        }
    }

    private static func expectOneCall(_ scene: RefreshScene, _ need: RefreshScene.Need) async throws {
        let all = try await scene.start()
        let session = try scene.session(need)
        scene.provider.next(.respondWhenReleased)
        let clients = try await RefreshClients.gather(at: all)
        try await clients.ask(session.cookies)
        try await scene.awaitWaitingRequests(600, need)
        scene.provider.release()
        let responses = try await clients.responses()
        let new = try scene.provider.current(session)
        expectRefreshed(responses, 600, to: new)
        // Later requests with the old tokens get the same new ones.
        let late = try await RefreshClients.gather(2, at: all)
        try await late.ask(session.cookies)
        expectRefreshed(try await late.responses(), 6, to: new)
        #expect(scene.provider.calls == 1)
        #expect(scene.provider.presentations(of: session.refresh) == 1)
        #expect(scene.provider.reuses == 0)
    }
}
