import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Simulates instances on one store: clocks differ, the store fails for some, processes crash or pause within a write.
///
/// It records when each instance read the store, and reports a token that an up-to-date instance cannot verify.
actor KeyFleet {
    /// The instance that calls the store.
    @TaskLocal static var caller: Int?

    private struct Member {
        var instance: KeyInstance
        /// Seconds that its clock is ahead.
        var skew: Double
        /// True time of its last successful read of the store.
        var readAt = UnixTime.distantPast
        var keepUpAt: UnixTime
        var awayUntil = UnixTime.distantPast
        var isBusy = false
    }

    private struct Token {
        let text: String
        let expiresAt: UnixTime
    }

    static let leeway = 120.0
    private static let rotateEvery = 5400.0

    private let store = WatchedStore()
    private var random: SplitMix64
    /// True Unix seconds.
    private var time = UnixTime(1_800_000_000)
    private var members: [Member] = []
    private var tokens: [Token] = []
    private(set) var keyIDs: Set<String> = []
    private(set) var checks = 0
    private(set) var pauses = 0
    private(set) var kills = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Runs for so many seconds.
    func run(members count: Int, for duration: Double) async throws {
        store.onCall { [weak self] (call) async throws(StoreError) in try await self?.called(call) }
        for _ in 0..<count { members.append(try member()) }
        let end = time + duration
        while time < end {
            try await step()
            if chance(90) { await startOutage() }
            if chance(80) { try await kill() }
            if chance(80) { await rotate() }
        }
    }

    private func member() throws -> Member {
        Member(
            instance: try KeyInstance(store, rotateEvery: .seconds(Self.rotateEvery)),
            skew: Double.random(in: -30...30, using: &random),
            keepUpAt: time
        )
    }

    private func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
}

// MARK: - Events

extension KeyFleet {
    /// Advances time: due instances maintain their keys, then instances sign and verify.
    private func step() async throws {
        time += Double.random(in: 5...40, using: &random)
        for index in members.indices where !members[index].isBusy {
            members[index].instance.time = time + members[index].skew
            if time >= members[index].keepUpAt { await keepUp(index) }
        }
        for index in members.indices where !members[index].isBusy && chance(3) { try await sign(index) }
        tokens.removeAll { $0.expiresAt <= time - Self.leeway }
        if let token = tokens.randomElement(using: &random) { verifyEverywhere(token) }
    }

    private func keepUp(_ index: Int) async {
        members[index].keepUpAt = time + Double.random(in: 10...60, using: &random)
        await asking(index) { instance in await instance.keys.keepUp(at: instance.time) }
    }

    private func rotate() async {
        let index = Int.random(in: members.indices, using: &random)
        guard !members[index].isBusy else { return }
        await asking(index) { instance in _ = try? await instance.keys.rotate(at: instance.time, dryRun: false) }
    }

    private func asking(_ index: Int, _ ask: (KeyInstance) async -> Void) async {
        let (instance, began) = (members[index].instance, time)
        members[index].isBusy = true
        await Self.$caller.withValue(index) { await ask(instance) }
        members[index].isBusy = false
        instance.time = time + members[index].skew
        if members[index].awayUntil <= began, !instance.distributed.isEmpty { members[index].readAt = began }
    }

    private func startOutage() async {
        let index = Int.random(in: members.indices, using: &random)
        members[index].awayUntil = time + Double.random(in: 30...9000, using: &random)
    }

    /// Replaces an instance by a new one.
    private func kill() async throws {
        let index = Int.random(in: members.indices, using: &random)
        guard !members[index].isBusy else { return }
        kills += 1
        // It may write first, and not use the result.
        if members[index].awayUntil <= time, Bool.random(using: &random) {
            await asking(index) { instance in _ = try? await instance.keys.rotate(at: instance.time, dryRun: false) }
        }
        members[index] = try member()
    }

    /// The store may be unavailable, or a writer paused for up to hours while others continue.
    private func called(_ call: WatchedStore.Call) async throws(StoreError) {
        guard let index = Self.caller else { return }
        if members[index].awayUntil > time { throw .unavailable("away") }
        let others = members.indices.filter { !members[$0].isBusy }
        guard call == .replace, !others.isEmpty, pauses < 20, chance(2) else { return }
        pauses += 1
        let end = time + Double.random(in: 1...(chance(4) ? 10_000 : 400), using: &random)
        do {
            try await Self.$caller.withValue(nil) { while time < end { try await step() } }
        } catch {
            Issue.record(error)
        }
    }
}

// MARK: - Invariants

extension KeyFleet {
    private func sign(_ index: Int) async throws {
        let instance = members[index].instance
        let began = time
        let token: String
        members[index].isBusy = true
        defer { members[index].isBusy = false }
        do {
            token = try await Self.$caller.withValue(index) { try await instance.sign(.access) }
        } catch {
            // Only an instance without the store may fail to sign.
            #expect(members[index].awayUntil > began, "\(error)")
            return
        }
        keyIDs.insert(try #require(UnverifiedToken(Array(token.utf8)).header["kid"]?.string))
        let signed = Token(text: token, expiresAt: began + 3600)
        tokens.append(signed)
        verifyEverywhere(signed)
    }

    /// Every instance that read the store within two minutes verifies the token until it expires.
    private func verifyEverywhere(_ token: Token) {
        for member in members where time - member.readAt <= 120 && time < token.expiresAt {
            checks += 1
            do {
                _ = try member.instance.verify(token.text, at: time + member.skew, leeway: Self.leeway)
            } catch {
                Issue.record("\(error) at \(time.seconds), for a token that expires at \(token.expiresAt.seconds)")
            }
        }
    }
}
