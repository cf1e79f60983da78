import Events
import IdentityProvider
import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Time
import UpstreamTestSupport
import Verification

@testable import Gateway
@testable import Tenants

/// What others are told of revocations, for a tenant without an issuer of its own.
@Suite struct RevocationReportTests {
    private static let now = UnixTime(1_800_000_000)

    private final class Receiver: OutboxTransport {
        let requests = Mutex<[OutboxRequest]>([])

        func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse {
            requests.withLock { $0.append(request) }
            return OutboxResponse(status: 200)
        }
    }

    private struct NothingRevoked: RevocationChecks {
        func isRevoked(_ principal: Principal, tenant: String) async -> Bool { false }
        func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool { false }
        func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? { nil }
        func revoke(_ revocations: [Revocation]) async throws(StoreError) {}
    }

    private struct NoFiles: FileReading {
        func read(_ path: String) throws(FileReadingError) -> [UInt8] { throw .notFound }
        func list(_ directory: String) throws(FileReadingError) -> [String] { [] }
    }

    private struct Setup {
        let store = FailingStore()
        let receiver = Receiver()
        let outbox: EventOutbox
        let report: RevocationReport
        let tenant: String

        init() throws {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            outbox = EventOutbox(store: store, transport: receiver, logger: logger) { RevocationReportTests.now }
            let settings = EventSettings(
                url: "https://hooks.test/",
                secrets: [Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
                types: EventType.allCases
            )
            outbox.adopt(settings, issuers: [:])
            let served = try RequestPipeline.tenant()
            tenant = served.name
            let issuers = OwnIssuers(
                [served],
                store: store,
                sealer: nil,
                revocations: NothingRevoked(),
                files: NoFiles(),
                logger: logger,
                distribute: { _, _ in }
            )
            report = RevocationReport(issuers: issuers, outbox: outbox)
        }

        func revocations(_ targets: [RevocationTarget]) -> [Revocation] {
            targets.map {
                Revocation(tenant: tenant, target: $0, revokedAt: RevocationReportTests.now, reason: "signed out")
            }
        }

        /// The events so far, as `TYPE SID JTI SUBJECT`, and their IDs.
        func events() async throws -> (texts: [String], ids: [String]) {
            await outbox.work()
            let requests = receiver.requests.withLock { $0 }
            let texts = try requests.map { request in
                let body = try #require(JSONParser.parse(request.body).object)
                return [body["type"], body["sid"], body["jti"], body["subject"]].compactMap { $0?.string }
                    .joined(separator: " ")
            }
            let ids = requests.compactMap { $0.fields.first { $0.name == "webhook-id" }?.value }
            return (texts.sorted(), ids)
        }
    }

    @Test func signOutIsOneEventOfItsSession() async throws {
        let setup = try Setup()
        let made = setup.revocations([.token(issuer: "https://id.test", tokenID: "t1"), .session("s1")])
        try await setup.report.report(made, isSignOut: true, at: Self.now)
        #expect(try await setup.events().texts == ["signed_out s1"])
    }

    /// The sender repeats what it cannot be sure of, and a receiver knows an event that it has had.
    @Test(arguments: [
        RevocationTarget.token(issuer: "https://id.test", tokenID: "t1"), .signingInput(sha256: [1, 2]),
        .session("s1"), .subject("alice"), .tenant,
    ])
    func repeatedReportHasTheSameID(_ target: RevocationTarget) async throws {
        let setup = try Setup()
        let made = setup.revocations([target])
        for _ in 0..<2 {
            try await setup.report.report(made, isSignOut: false, at: Self.now)
            _ = try await setup.events()
        }
        let ids = try await setup.events().ids
        #expect(ids.count == 2 && Set(ids).count == 1)
    }

    @Test func reportFailsWithTheStore() async throws {
        let setup = try Setup()
        setup.store.cut()
        for target in [RevocationTarget.session("s1"), .subject("alice"), .tenant] {
            let made = setup.revocations([target])
            await #expect(throws: StoreError.self) {
                try await setup.report.report(made, isSignOut: true, at: Self.now)
            }
        }
        setup.store.heal()
        #expect(try await setup.events().texts.isEmpty)
    }
}
