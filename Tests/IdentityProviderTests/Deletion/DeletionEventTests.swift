import Events
import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider
@testable import Tenants

/// What the webhook is told of a deletion.
struct DeletionEventTests {
    private struct Webhook: OutboxTransport {
        func send(_ request: OutboxRequest) async throws(OutboxFailure) -> OutboxResponse {
            OutboxResponse(status: 200)
        }
    }

    @Test func deletionThatCannotBeReportedIsTriedAgain() async throws {
        let fixture = try DeletionFixture()
        let session = try await fixture.signIn()
        let store = FailingStore()
        let outbox = EventOutbox(store: store, transport: Webhook(), logger: fixture.log.logger) {
            DeletionFixture.start
        }
        let secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        outbox.adopt(EventSettings(url: "https://hooks.test/", secrets: [secret], types: [.deleted]), issuers: [:])
        let parts = DeletionParts(
            tenant: fixture.tenant,
            realm: [fixture.tenant],
            accounts: fixture.accounts,
            sessions: [fixture.sessions],
            requests: fixture.sides,
            backends: [],
            outbox: outbox
        )
        let steps = TenantDeletionSteps(parts, store: fixture.store, sealer: fixture.sealer)
        let deletion = Deletion(
            id: "AAAAAAAAAAAAAAAAAAAAAA",
            tenant: fixture.tenant.name,
            scope: "tenant chat",
            subject: session.subject,
            at: DeletionFixture.start
        )
        store.cut()
        let failed = await steps.carryOut(.account, of: deletion, at: DeletionFixture.start)
        #expect(failed == .failed(DeletionFailure(.storeUnavailable)))
        store.heal()
        #expect(await steps.carryOut(.account, of: deletion, at: DeletionFixture.start) == .done)
    }
}
