import NIOCore
import NIOPosix
import Testing
import Verification

/// The same while the instance that refreshes dies, or Redis hangs.
@Suite(.serialized) struct RefreshFleetStoreTests {
    @Test(arguments: RefreshScene.Need.allCases)
    func anotherRefreshesWhenTheHolderOfTheLeaseIsKilled(_ need: RefreshScene.Need) async throws {
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
            try await scene.instancesKnowOfTheLease(3)
            try await holder.kill()
            let answers = try await Array(clients[1...]).answers()
            expectRefreshed(answers, 400, to: try scene.provider.current(session))
            // The one that was lost with its instance, which the provider did nothing about, and the one that counts.
            #expect(scene.provider.calls == 2)
            #expect(scene.provider.reuses == 0)
            for clients in [first, clients[0]] { await clients.leave() }
            try await scene.expectNoSecrets()
        }
    }

    /// When the provider answers.
    enum Moment: CaseIterable, Sendable {
        case duringThePause, afterThePause
    }

    @Test(arguments: RefreshScene.Need.allCases, Moment.allCases)
    func pauseOfRedisLeadsToNoSecondCall(_ need: RefreshScene.Need, _ moment: Moment) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.provider.next(.answersWhenReleased)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            try await scene.everybodyWaits(600, need)
            try await scene.instancesKnowOfTheLease(3)
            try await scene.leaseIsFresh()
            // Shorter than an instance waits for a reply: longer is an outage.
            scene.server.process.pause()
            try await Self.pass(.milliseconds(800))
            if moment == .duringThePause { scene.provider.release() }
            try await Self.pass(.milliseconds(700))
            scene.server.process.resume()
            if moment == .afterThePause { scene.provider.release() }
            let answers = try await clients.answers()
            expectRefreshed(answers, 600, to: try scene.provider.current(session))
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
        }
    }

    /// The holder of the lease has the answer, and cannot tell anybody for longer than it waits for a reply of Redis.
    @Test(arguments: RefreshScene.Need.allCases)
    func answerOutlivesAPauseInWhichItCouldNotBeStored(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.provider.next(.answersWhenReleased)
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.cookies)
            try await scene.everybodyWaits(600, need)
            try await scene.instancesKnowOfTheLease(3)
            try await scene.leaseIsFresh()
            scene.server.process.pause()
            scene.provider.release()
            try await Self.pass(.milliseconds(2300))
            scene.server.process.resume()
            let answers = try await clients.answers()
            #expect(scene.provider.calls == 1)
            #expect(scene.provider.reuses == 0)
            expectRefreshed(answers, 600, to: try scene.provider.current(session))
        }
    }

    /// Without the store each instance is on its own. Where refresh tokens rotate, the second one's call would end the
    /// session; here clients go by their access token, which may be refreshed as often as one likes.
    @Test(arguments: RefreshScene.Need.allCases)
    func withoutRedisEachInstanceMakesOneCall(_ need: RefreshScene.Need) async throws {
        try await withRefreshFleet(.rotatingBearer("grace: 7d", call: "send: bearer")) { scene in
            let all = try await scene.start()
            let session = try scene.session(need)
            scene.server.process.pause()
            let clients = try await RefreshClients.gather(at: all)
            try await clients.ask(session.bearer)
            for group in clients {
                let answers = try await group.answers()
                #expect(answers.count == 200)
                #expect(answers.allSatisfy { $0.response.status == 200 })
                #expect(answers.allSatisfy { $0.response.body.text.hasSuffix(" \($0.sent)") })
                let given = Set(answers.map { $0.response.fields["X-Refreshed-Token"] })
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
