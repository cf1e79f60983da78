import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// A store that is away for a moment, or comes back.
@Suite(.timeLimit(.minutes(2)))
struct RefreshOutageTests {
    private static let rules = FleetFlightRules.refreshing(.alone)
    private func pass(_ fixture: RefreshFixture, quarters: Int) async {
        for _ in 0..<quarters {
            await fixture.clock.waitForSleepers(1, after: 0.25)
            fixture.clock.advance(by: 0.25)
        }
    }

    private func capture(_ fixture: RefreshFixture, _ access: [UInt8]) async throws {
        let principal = try RefreshTokens.oldPrincipal(access)
        let token = RefreshTokens.refresh("s1")
        #expect(
            await fixture.services[0].capture(tenant: 0, accessToken: access, principal: principal, refreshToken: token)
        )
    }

    @Test func queuedFlightTakesTheLeaseWhenTheStoreIsBack() async throws {
        let fixture = try RefreshFixture(callsAtOnce: 1)
        fixture.provider.hold()
        let other = try fixture.request("s2")
        async let first = fixture.services[0].refresh(other).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        let request = try fixture.request(patience: 100)
        async let second = fixture.services[0].refresh(request).text
        await pass(fixture, quarters: 8)
        let session = RefreshSession(tenant: 0, name: request.session)
        while await fixture.services[0].flights[session]?.run.flight.isWithoutStore != true { await Task.yield() }
        fixture.store.setUp(true)
        // Another instance refreshes the session when the only place is free at last.
        let taken = try #require(try await fixture.store.acquire(fixture.keys().lease, for: .seconds(3)))
        fixture.provider.release()
        #expect(await first == "2")
        await fixture.clock.waitForSleepers(1, after: 3.25)
        #expect(fixture.provider.calls == 1)
        try await fixture.store.release(taken)
        fixture.clock.advance(by: 3.25)
        #expect(await second == "2")
    }

    @Test func singleTimeoutDoesNotGiveUpTheStore() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        #expect(flight.lookUp(at: 0) == .lookUp)
        let late = MonotonicTime.after(Self.rules.storeOutageLimit)
        #expect(flight.lookedUp(.away, at: late) == .pause(until: late + Self.rules.storeRetryDelay))
        #expect(flight.pauseEnded(at: late + Self.rules.storeRetryDelay) == .lookUp)
        #expect(flight.lookedUp(.away, at: late + Self.rules.storeOutageLimit) == .enqueue)
        #expect(flight.isWithoutStore)
        #expect(flight.granted(at: late + Self.rules.storeOutageLimit) == .acquire)
        #expect(flight.acquired(.away, at: late + Self.rules.storeOutageLimit) == .call)
    }

    /// Each of two instances has the session's refresh token, which the provider takes once.
    @Test(arguments: [RefreshTokenSource.cookie(name: "refresh"), .vault])
    func absentStorePreventsCallsWithRotatingTokens(source: RefreshTokenSource) async throws {
        let fixture = try RefreshFixture(2, source: source, withoutStore: .refuse)
        if source == .vault { try await capture(fixture, RefreshTokens.access("s1")) }
        let cookie: [UInt8]? = source == .vault ? nil : RefreshTokens.refresh("s1")
        fixture.store.setAbsent(true)
        for trigger in [RefreshRequest.Trigger.unauthorized, .expired, .ahead] {
            for service in fixture.services {
                let request = try fixture.request(refresh: .some(cookie), trigger: trigger)
                #expect(await service.refresh(request).text == "unavailable store_unavailable")
            }
        }
        #expect(fixture.provider.calls == 0)
        #expect(fixture.ended.value.isEmpty)
        fixture.store.setAbsent(false)
        #expect(await fixture.services[0].refresh(try fixture.request(refresh: .some(cookie))).text == "2")
        #expect(await fixture.services[1].refresh(try fixture.request(refresh: .some(cookie))).text == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    /// The clock does not advance: nothing waits.
    @Test func absentStoreDoesNotDelayACallWithoutIt() async throws {
        let fixture = try RefreshFixture(source: .none, provider: PretendIssuer(rotates: false), withoutStore: .alone)
        fixture.store.setAbsent(true)
        let answer = await fixture.services[0].refresh(try fixture.request(refresh: .some(nil))).text
        #expect(answer == "2")
        #expect(fixture.provider.calls == 1)
        fixture.store.setAbsent(false)
    }

    /// The store misses the result, and is back before the lease has run out.
    @Test(arguments: [RefreshTokenSource.cookie(name: "refresh"), .vault])
    func storeOutageDuringTheWriteCausesNoSecondCall(source: RefreshTokenSource) async throws {
        let fixture = try RefreshFixture(2, source: source)
        let access = RefreshTokens.access("s1")
        if source == .vault { try await capture(fixture, access) }
        fixture.provider.hold()
        let cookie: [UInt8]? = source == .vault ? nil : RefreshTokens.refresh("s1")
        let request = try fixture.request(refresh: .some(cookie), patience: 100)
        async let first = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        fixture.provider.release()
        #expect(await first == "2")
        // The lease's renewal and the next try to write.
        await fixture.clock.waitForSleepers(2, after: 1)
        fixture.store.setUp(true)
        async let second = fixture.services[1].refresh(request).text
        await fixture.clock.waitForSleepers(1, after: 3.25)
        fixture.clock.advance(by: 1)
        #expect(await second == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test(arguments: [true, false])
    func unstoredResultIsDroppedWithARevokedSession(isTold: Bool) async throws {
        let fixture = try RefreshFixture(source: .vault, provider: PretendIssuer(naming: .jti))
        let access = RefreshTokens.access("s1", naming: .jti)
        try await capture(fixture, access)
        fixture.provider.hold()
        let request = try fixture.request(access: access, refresh: .some(nil), patience: 100)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        fixture.provider.release()
        #expect(await answer == "2")
        await fixture.clock.waitForSleepers(2, after: 1)
        // Longer than the result is remembered.
        for _ in 0..<40 {
            await fixture.clock.waitForSleepers(2, after: 1)
            fixture.clock.advance(by: 1)
        }
        await fixture.clock.waitForSleepers(2, after: 1)
        if isTold {
            await fixture.revoke("s1-1")
        } else {
            fixture.revoked.update { _ = $0.insert("s1-1") }
            fixture.store.setUp(true)
            fixture.clock.advance(by: 1)
        }
        await fixture.ended.wait { !$0.isEmpty }
        fixture.store.setUp(true)
        await fixture.services[0].stop()
        #expect(fixture.ended.value.map(\.principal.tokenID) == ["s1-2"])
        let new = RefreshKeys(
            tenant: "chat",
            SessionName(try RefreshTokens.oldPrincipal(RefreshTokens.access("s1", 2, naming: .jti)))
        )
        #expect(try await fixture.store.value(for: new.vault) == nil)
        let old = RefreshKeys(tenant: "chat", SessionName(request.principal))
        #expect(try await fixture.store.value(for: old.result) == nil)
    }

    @Test func laterVaultEntryIsNotOverwritten() async throws {
        let fixture = try RefreshFixture(source: .vault)
        let sealer = Sealer(try SealingKeys("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="))
        let vault = RefreshVault(store: fixture.store, sealer: sealer)
        let principal = try RefreshTokens.oldPrincipal(RefreshTokens.access("s1"))
        let keys = try fixture.keys()
        let lease = try #require(try await fixture.store.acquire(keys.lease, for: .seconds(3)))
        func write(_ token: String, origin: String, generation: Double) async throws -> String? {
            let change = RefreshPublication.VaultChange(
                refreshToken: Array(token.utf8),
                origin: origin,
                keys: keys,
                principal: principal,
                generation: generation
            )
            #expect(try await vault.write(change, holding: lease))
            return try await vault.read(keys, principal).map { String(decoding: $0.refreshToken, as: UTF8.self) }
        }
        #expect(try await write("third", origin: "a", generation: 3) == "third")
        #expect(try await write("second", origin: "a", generation: 2) == "third")
        #expect(try await write("fourth", origin: "a", generation: 4) == "fourth")
        try await vault.capture(Array("anew".utf8), keys, principal)
        let origin = try #require(try await vault.read(keys, principal)?.origin)
        #expect(try await write("newest", origin: origin, generation: 1) == "newest")
        #expect(try await write("fifth", origin: "a", generation: 5) == "newest")
    }

    @Test func unstoredTokenIsNotPresentedTwice() throws {
        var backlog = RefreshBacklog()
        let sessions = try (1...3).map { number in
            let access = RefreshTokens.access("s1", number, naming: .jti)
            return try RefreshTokens.oldPrincipal(access)
        }
        let keys = sessions.map { RefreshKeys(tenant: "chat", SessionName($0)) }
        func publication(_ place: Int) -> RefreshPublication {
            RefreshPublication(
                record: RefreshRecord.failure(.unavailable(.network), presented: nil, at: 0),
                keys: keys[place],
                secret: [],
                vault: RefreshPublication.VaultChange(
                    refreshToken: RefreshTokens.refresh("s1", place + 2),
                    origin: "a",
                    keys: keys[place + 1],
                    principal: sessions[place + 1],
                    generation: Double(place + 1)
                ),
                spentLifetime: .seconds(1),
                principal: sessions[place]
            )
        }
        for place in 0..<2 {
            let session = RefreshSession(tenant: 0, name: SessionName(sessions[place]))
            #expect(
                backlog.token(for: keys[place])?.refreshToken == (place == 0 ? nil : RefreshTokens.refresh("s1", 2))
            )
            let added = backlog.add(publication(place), of: session, lease: nil, marks: [])
            #expect(added.dropped.isEmpty && !added.isFull)
        }
        #expect(backlog.token(for: keys[1]) == nil)
        #expect(backlog.token(for: keys[2])?.refreshToken == RefreshTokens.refresh("s1", 3))
        #expect(backlog.all.map(\.publication.vault?.isUsedUp) == [true, false])
    }

    @Test func fullBacklogDropsTheOldest() throws {
        var backlog = RefreshBacklog()
        let principal = try RefreshTokens.oldPrincipal(RefreshTokens.access("s1"))
        var keys: [RefreshKeys] = []
        for number in 0..<(RefreshBacklog.most + 2) {
            let name = SessionName(digest: withUnsafeBytes(of: number) { Array($0) })
            let publication = RefreshPublication(
                record: RefreshRecord.failure(.unavailable(.network), presented: nil, at: 0),
                keys: RefreshKeys(tenant: "chat", name),
                secret: [],
                spentLifetime: .seconds(1),
                principal: principal
            )
            keys.append(publication.keys)
            let isFull = backlog.add(publication, of: RefreshSession(tenant: 0, name: name), lease: nil, marks: [])
                .isFull
            if isFull != (number >= RefreshBacklog.most) { Issue.record("\(number): \(isFull)") }
        }
        #expect(backlog.count == RefreshBacklog.most)
        #expect(backlog.entry(keys[1]) == nil && backlog.entry(keys[2]) != nil)
        for name in keys { backlog.remove(name) }
        #expect(backlog.isEmpty && backlog.all.isEmpty)
    }
}
