import Logging
import SharedState
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import Adoption
@testable import Tenants

/// Instances of the gateway with a store, and a clock that they share.
struct AdoptionFixture {
    static let now = SampleTenant.now
    static let own = "https://own.test"

    let clock = SteppedClock()
    let store: any Store
    let tenant: Tenant

    /// - Parameter store: Nil: one in memory, by the fixture's clock.
    init(store: (any Store)? = nil) throws {
        tenant = try Self.tenant()
        let clock = clock
        self.store = store ?? MemoryStore(clock: { clock.unix })
    }

    static func tenant(name: String = "app") throws -> Tenant {
        var tenant = try SampleTenant.tenant(name: name, from: [.bearer, .cookie(name: "access")])
        tenant.issuer = BuiltInIssuer(url: own, audience: "app", algorithm: .es256, access: .seconds(1800))
        let accessToken = try #require(JSONPointer("/access_token"))
        let refreshToken = try #require(JSONPointer("/refresh_token"))
        tenant.refresh = RefreshRules(
            call: RefreshCall(strategy: .builtIn, target: nil, accessToken: accessToken),
            delivery: RefreshDelivery(
                header: "X-New-Token",
                cookies: [
                    RefreshDelivery.Cookie(name: "access", value: accessToken),
                    RefreshDelivery.Cookie(name: "refresh", value: refreshToken),
                ]
            ),
            adopted: [SampleTenant.issuer]
        )
        return tenant
    }

    /// One instance.
    func service(_ adopter: FakeAdopter, previous: AdoptionService? = nil, log: RecordedLog = RecordedLog()) throws
        -> AdoptionService
    {
        let adopting = try #require(AdoptingTenant(tenant, adopting: adopter))
        return AdoptionService(
            [0: adopting],
            previous: previous,
            store: store,
            logger: log.logger,
            clock: clock.fleetClock
        )
    }

    /// A request with a good token of the former issuer.
    func request(_ changes: KeyValuePairs<String, JSONValue?> = ["sid": "old-session"]) throws -> AdoptionRequest {
        AdoptionRequest(
            tenant: 0,
            principal: try Self.principal(changes, tenant),
            device: "App/1",
            clientAddress: [192, 0, 2, 7]
        )
    }

    static func principal(
        _ changes: KeyValuePairs<String, JSONValue?> = [:],
        _ tenant: Tenant
    ) throws -> Principal {
        try TokenVerifier(tenant.authenticate.policy).verify(Array(SampleTenant.token(changes).utf8), at: now)
    }

    /// The record of the session in ``request(_:)``.
    func record(_ request: AdoptionRequest) async throws -> AdoptionRecord? {
        try await AdoptionRecords(store: store, tenant: tenant.name).read(SessionName(request.principal))?.record
    }
}

/// A clock that a test sets. Whoever sleeps is awakened when it is far enough.
final class SteppedClock: Sendable {
    private let seconds = Awaited(0.0)

    var unix: UnixTime { AdoptionFixture.now + seconds.value }

    func advance(by more: Double) { seconds.update { $0 += more } }

    var fleetClock: FleetClock {
        FleetClock(
            monotonic: { MonotonicTime(nanoseconds: UInt64((1000 + self.seconds.value) * 1e9)) },
            unix: { self.unix },
            sleep: { until in
                let until = Double(until.nanoseconds) / 1e9 - 1000
                await self.seconds.wait { $0 >= until }
            },
            random: { 0.5 }
        )
    }
}

extension AdoptionOutcome {
    /// Nil if there is no session.
    var session: String? {
        if case .adopted(let session) = self { session.sessionID } else { nil }
    }

    /// Nil if there is a session, or it is never tried again.
    var retryAfter: Double? {
        if case .nothing(let seconds) = self { seconds } else { nil }
    }
}

extension AdoptionService {
    /// What was counted, by outcome.
    var counted: [AdoptionCounts.Outcome: Int] {
        Dictionary(counts.snapshot().map { ($0.key.outcome, $0.value) }, uniquingKeysWith: +)
    }
}
