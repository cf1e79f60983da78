import Logging
import Store
import Tenants
import TestSupport
import Time
import Verification

@testable import SharedState

/// Several instances with one store and one provider, in simulated time.
final class RefreshFixture: Sendable {
    let clock = PretendClock(unix: RefreshTokens.now)
    let store: PretendStore
    let provider: PretendIssuer
    let services: [RefreshService]
    /// Sessions and token identifiers.
    let revoked = Awaited<Set<String>>([])
    struct Ended: Sendable {
        var principal: Principal
        var wholeSession: Bool
    }

    /// The tokens, or their whole sessions, that the services ended.
    let ended = Awaited<[Ended]>([])
    /// Whether sessions end at once.
    let endings = Awaited(true)
    /// Whether revocation checks return at once.
    let answersRevocation = Awaited(true)
    /// The number of tokens of each combined revocation check.
    let questions = Awaited<[Int]>([])
    private let deliveries = Awaited<Task<Void, Never>?>(nil)

    init(
        _ count: Int = 1,
        source: RefreshTokenSource = .cookie(name: "refresh"),
        provider: PretendIssuer = PretendIssuer(),
        isSealed: Bool = true,
        deliversAnnouncements: Bool = true,
        callsAtOnce: Int = RefreshService.callsAtOnce,
        withoutStore: RefreshWithoutStore = .alone
    ) throws {
        let store = PretendStore(clock)
        let refreshClock = clock.fleetClock()
        let (revoked, ended, endings, questions) = (revoked, ended, endings, questions)
        let answersRevocation = answersRevocation
        let key = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
        let sealer = isSealed ? Sealer(try SealingKeys(key)) : nil
        self.store = store
        self.provider = provider
        services = (0..<count).map { _ in
            RefreshService(
                tenants: [
                    RefreshTenant(name: "chat", source: source, leeway: 60, grace: 600, withoutStore: withoutStore)
                ],
                store: store,
                sealer: sealer,
                caller: provider,
                helpers: RefreshService.Helpers(
                    verify: { _, token in RefreshTokens.verify(token, at: refreshClock.unix()) },
                    isRevoked: { _, principal in
                        await answersRevocation.wait { $0 }
                        let names = [principal.sessionID, RefreshTokens.name(principal)].compactMap(\.self)
                        return !revoked.value.isDisjoint(with: names)
                    },
                    areRevoked: { _, marks in
                        await answersRevocation.wait { $0 }
                        questions.update { $0.append(marks.count) }
                        let names = revoked.value
                        let digests = Set(
                            names.map { RevocationDigest(.session($0)) }
                                + names.map { RevocationDigest(.token(issuer: RefreshTokens.issuer, tokenID: $0)) }
                        )
                        return marks.map { marks in
                            digests.contains(marks.token) || marks.session.map(digests.contains) ?? false
                        }
                    },
                    endSession: { _, principal, wholeSession, _ in
                        ended.update { $0.append(Ended(principal: principal, wholeSession: wholeSession)) }
                        await endings.wait { $0 }
                        let session = wholeSession ? principal.sessionID : nil
                        revoked.update { _ = $0.insert(session ?? RefreshTokens.name(principal)) }
                    }
                ),
                logger: Logger(label: "refresh") { _ in SwiftLogNoOpLogHandler() },
                clock: refreshClock,
                callsAtOnce: callsAtOnce
            )
        }
        if deliversAnnouncements { deliverAnnouncements() }
    }

    deinit { deliveries.value?.cancel() }

    /// Carries announcements to every instance, as the store does.
    private func deliverAnnouncements() {
        let (store, services) = (store, services)
        let task = Task {
            var delivered = 0
            while !Task.isCancelled {
                await store.announcements.wait { [delivered] in $0.count > delivered }
                for announcement in store.announcements.value.dropFirst(delivered) {
                    delivered += 1
                    for service in services { await service.announced(announcement.subject) }
                }
            }
        }
        deliveries.update { $0 = task }
    }

    func request(
        _ session: String = "s1",
        access: [UInt8]? = nil,
        refresh: [UInt8]?? = nil,
        trigger: RefreshRequest.Trigger = .unauthorized,
        patience: Double = 20
    ) throws -> RefreshRequest {
        let token = access ?? RefreshTokens.access(session)
        return RefreshRequest(
            tenant: 0,
            trigger: trigger,
            accessToken: token,
            principal: try RefreshTokens.oldPrincipal(token),
            refreshToken: refresh ?? RefreshTokens.refresh(session),
            host: Array("chat.test".utf8),
            deadline: clock.fleetClock().monotonic() + UInt64(patience * 1e9)
        )
    }

    func keys(_ session: String = "s1") throws -> RefreshKeys {
        RefreshKeys(tenant: "chat", SessionName(try RefreshTokens.oldPrincipal(RefreshTokens.access(session))))
    }

    /// Brings the store back after the unreleased leases have expired; returns when an unstored result is written.
    func storeComesBack() async {
        let count = store.announcements.value.count
        await clock.waitForSleepers(1, after: 1)
        clock.advance(by: 4)
        await clock.waitForSleepers(1, after: 1)
        store.setUp(true)
        clock.advance(by: 1)
        await store.announcements.wait { $0.count > count }
    }

    func revoke(_ name: String) async {
        revoked.update { _ = $0.insert(name) }
        for service in services { await service.revocationsChanged(tenants: ["chat"]) }
    }
}

extension RefreshOutcome {
    /// In short: `2`, or `2 shared`, for the number of the new access token; else the outcome and its reason.
    var text: String {
        switch self {
        case .renewed(let renewal, let isShared):
            "\(RefreshTokens.number(renewal.principal))\(isShared ? " shared" : "")"
        case .refused(let trouble): "refused \(trouble.rawValue)"
        case .unavailable(let trouble): "unavailable \(trouble.rawValue)"
        }
    }
}
