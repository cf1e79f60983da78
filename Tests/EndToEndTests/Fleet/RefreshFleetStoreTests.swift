import NIOCore
import NIOPosix
import Testing
import Verification

/// Refreshes while the refreshing instance dies or Redis hangs.
@Suite(.serialized) struct RefreshFleetStoreTests {
    @Test(arguments: RefreshScene.Need.allCases)
    func anotherInstanceRefreshesAfterLeaseHolderIsKilled(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            let holder = try await scene.fleet.startProcess(scene.server.url)
            let others = try await scene.start(2)
            let session = try scene.session(need)
            scene.provider.next(.hangs)
            let first = try await RefreshClients(1, at: holder.instance)
            let clients = try await RefreshClients.gather(at: [holder.instance] + others)
            try await first.ask(session.cookies)
            try await scene.provider.asked.next()
            try await clients.ask(session.cookies)
            try await scene.awaitLeaseRequests(3)
            try await holder.kill()
            let responses = try await Array(clients[1...]).responses()
            expectRefreshed(responses, 400, to: try scene.provider.current(session))
            // The call lost with its instance, and the successful one.
            #expect(scene.provider.calls == 2)
            #expect(scene.provider.reuses == 0)
            for clients in [first, clients[0]] { await clients.leave() }
            try await scene.expectNoSecrets()
        }
    }

    /// When the provider responds.
    enum Moment: CaseIterable, Sendable {
        case duringThePause, afterThePause
    }

    @Test(arguments: RefreshScene.Need.allCases, Moment.allCases)
    func pausedRedisCausesNoSecondRefreshCall(_ need: RefreshScene.Need, _ moment: Moment) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.provider.next(.respondWhenReleased)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            try await scene.awaitWaitingRequests(600, need)
            try await scene.awaitLeaseRequests(3)
            try await scene.awaitLeaseRenewal()
            // Shorter than an instance waits for a reply; longer is an outage.
            scene.server.process.pause()
            try await Self.pass(.milliseconds(800))
            if moment == .duringThePause { scene.provider.release() }
            try await Self.pass(.milliseconds(700))
            scene.server.process.resume()
            if moment == .afterThePause { scene.provider.release() }
            let responses = try await clients.responses()
            expectRefreshed(responses, 600, to: try scene.provider.current(session))
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
        }
    }

    /// The lease holder has the response but cannot publish it within the Redis timeout.
    @Test(arguments: RefreshScene.Need.allCases)
    func refreshResultOutlivesStorePause(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.provider.next(.respondWhenReleased)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            try await scene.awaitWaitingRequests(600, need)
            try await scene.awaitLeaseRequests(3)
            try await scene.awaitLeaseRenewal()
            scene.server.process.pause()
            scene.provider.release()
            try await Self.pass(.milliseconds(2300))
            scene.server.process.resume()
            let responses = try await clients.responses()
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
            expectRefreshed(responses, 600, to: try scene.provider.current(session))
        }
    }

    /// Without the store each instance is on its own. Where refresh tokens rotate, the second one's call would end the
    /// session; here clients go by their access token, which may be refreshed as often as one likes.
    @Test(arguments: RefreshScene.Need.allCases)
    func instancesRefreshSeparatelyWithoutRedis(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet(.rotatingBearer("grace: 7d", call: "send: bearer")) { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.server.process.pause()
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.bearer)
            for group in clients {
                let responses = try await group.responses()
                #expect(responses.count == 200)
                #expect(responses.allSatisfy { $0.response.status == 200 })
                #expect(responses.allSatisfy { $0.response.body.text.hasSuffix(" \($0.sent)") })
                let given = Set(responses.map { $0.response.fields["X-Refreshed-Token"] })
                #expect(given.count == 1 && given.first?.count == 1, "one new token for all")
                #expect(given.first?.first != session.access)
            }
            #expect(scene.provider.calls == all.count)
            scene.server.process.resume()
        }
    }

    private static func pass(_ time: TimeAmount) async throws {
        try await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) {}.futureResult.get()
    }
}
