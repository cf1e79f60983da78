import Foundation
import IdentityProvider
import Logging
import NIOPosix
import Redis
import Store
import Tenants
import TestSupport
import Testing
import Time
import TokenSigning
import Verification

/// Signing keys rotate while people sign in at one instance and use their tokens at another.
@Suite(.serialized) struct SignInFleetKeysTests {
    @Test func adminKeyRotationReachesAllAndRefusesNoToken() async throws {
        try await RedisServer.run { server in
            try await withSignInFleet { scene in
                let first = try await scene.fleet.startProcess(server.url).instance
                let second = try await scene.fleet.startProcess(server.url).instance
                let keyIDs = try await first.publishedKeyIDs()
                #expect(keyIDs.count == 2)
                #expect(try await second.publishedKeyIDs() == keyIDs)

                let stream = SignInStream(scene, first, second)
                async let walked: Void = stream.walk()
                try await stream.begun()
                var takesOverAt: JSONValue?
                // Two requests are one rotation.
                for (instance, isUnderWay) in [(first, false), (second, true)] {
                    let plan = try await instance.adminClient.post("/api/keys", json: ["tenant": "games"])
                    #expect(plan.status == 200, "\(plan.body.text)")
                    #expect(plan.json?["active"]?.string == keyIDs.first)
                    #expect(plan.json?["next"]?.string == keyIDs.last)
                    #expect(plan.json?["under_way"] == .bool(isUnderWay))
                    takesOverAt = takesOverAt ?? plan.json?["takes_over_at"]
                    #expect(plan.json?["takes_over_at"] == takesOverAt)
                }
                #expect(try await first.keys() == second.keys())
                #expect(try await second.keys().last?["active_from"] == takesOverAt)
                try await stream.goOn(turns: 5)
                stream.end()
                try await walked
                #expect(stream.complaints == [])
                // Only once all verifiers know the new key.
                #expect(stream.signers == Set(keyIDs.prefix(1)))
            }
        }
    }

    /// The rotation was started by an instance whose clock was behind, so that the test need not wait: the notice and
    /// the time for which the key was published lie in the past for the others.
    @Test func newKeyTakesOverWithoutUnverifiableTokens() async throws {
        try await RedisServer.run { server in
            try await withSignInFleet { scene in
                try await Self.withOwnKeys(of: scene, in: server) { keys in
                    let start = UnixTime(Date().timeIntervalSince1970)
                    try await keys.load(at: start - SigningKeyTimes.publication - 60)
                    let first = try await scene.fleet.startProcess(server.url).instance
                    let second = try await scene.fleet.startProcess(server.url).instance
                    // A verifier that cached the key set for an hour.
                    let known = try await first.publishedKeyIDs()
                    #expect(known.count == 2)
                    let early = try await scene.signIn(.anna, at: first)
                    #expect(early.keyID == known.first)

                    let stream = SignInStream(scene, first, second)
                    async let walked: Void = stream.walk(until: known.last)
                    try await stream.begun()
                    let now = UnixTime(Date().timeIntervalSince1970)
                    let plan = try await keys.rotate(at: now - SigningKeyTimes.notice + 3, dryRun: false)
                    #expect(plan.nextKeyID == known.last)
                    try await walked
                    #expect(stream.complaints == [])
                    #expect(stream.signers == Set(known), "both have signed, and no other")

                    for instance in [first, second] {
                        #expect(try await instance.status(of: early.access) == 200, "the one of before verifies on")
                        let stages = try await instance.keys().compactMap { $0["state"]?.string }
                        #expect(stages == ["previous", "active", "next"])
                        #expect(try await instance.publishedKeyIDs().prefix(2) == known.prefix(2))
                    }
                    #expect(try await first.publishedKeyIDs() == second.publishedKeyIDs())
                    let renewed = try GivenTokens(try await second.renew(early.refresh))
                    #expect(renewed.keyID == known.last)
                }
            }
        }
    }

    /// Keys as an instance has them, on the fleet's store.
    private static func withOwnKeys(
        of scene: SignInScene,
        in server: RedisServer,
        _ test: (StoredKeys) async throws -> Void
    ) async throws {
        let logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        let store = RedisStore(
            RedisConfiguration(servers: .direct([server.address])),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let sealer = Sealer(try SealingKeys(try #require(scene.setup.sealingKeys)))
        let keys = StoredKeys(
            try #require(try scene.tenant("games").issuer),
            tenant: "games",
            store: store,
            sealer: sealer,
            now: { UnixTime(Date().timeIntervalSince1970) },
            logger: logger,
            distribute: { _ in }
        )
        try await store.open()
        try await attempt {
            try await until("the store is there") { store.isUp }
            try await test(keys)
        } finally: {
            await store.close()
        }
    }
}
