import Store
import Synchronization
import TestSupport
import Testing
import Verification

@testable import AdminAPI
@testable import SharedState

/// The admin API's revocations, without HTTP.
final class RevocationHandlerTests: Sendable {
    private let store = FailingStore()
    private let distributed = Mutex<[String: RevocationSet]>([:])
    private let log = RecordedLog()

    private func handler() throws -> RevocationHandler {
        let service = RevocationService(
            store: store,
            tenants: ["app", "shop"],
            logger: log.logger,
            distribute: { update in
                self.distributed.withLock { $0.merge(update.sets) { _, new in new } }
                return []
            },
            onEvent: { _ in }
        )
        return RevocationHandler(
            live: .serving([try SampleTenant.tenant(), try SampleTenant.tenant(name: "shop", host: "shop.test")]),
            store: store,
            service: service,
            now: { SampleTenant.now },
            logger: log.logger
        )
    }

    private func body(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func isInForce(_ target: RevocationTarget, tenant: String = "app") -> Bool {
        distributed.withLock { $0[tenant]?[RevocationDigest(target)]?.isInForce(at: SampleTenant.now) } ?? false
    }

    private func problem(_ ask: () async throws(AdminProblem) -> JSONObject) async -> AdminProblem? {
        do throws(AdminProblem) {
            _ = try await ask()
            return nil
        } catch {
            return error
        }
    }

    @Test func acknowledgedRevocationIsStoredAndInForce() async throws {
        let response = try await handler().revoke(body(#"{"tenant":"app","session":"s1","for":"1h","reason":"lost"}"#))
        #expect(
            JSONWriter.text(of: .object(response))
                == #"{"revoked":[{"tenant":"app","kind":"session","id":"s1","revoked_at":"2027-01-15T08:00:00.000Z","#
                + #""expires_at":"2027-01-15T09:00:00.000Z","reason":"lost"}]}"#
        )
        #expect(isInForce(.session("s1")))
        #expect(!isInForce(.session("s1"), tenant: "shop"))
        #expect(try await store.revocations(tenant: "app", cursor: nil, limit: 10).records.count == 1)
    }

    @Test func withdrawalReturnsWhatWasInForce() async throws {
        let handler = try handler()
        let session = body(#"{"tenant":"app","session":"s1"}"#)
        _ = try await handler.revoke(session)
        #expect(
            JSONWriter.text(of: .object(try await handler.withdraw(session)))
                == #"{"withdrawn":[{"tenant":"app","kind":"session","id":"s1","#
                + #""revoked_at":"2027-01-15T08:00:00.000Z"}]}"#
        )
        #expect(!isInForce(.session("s1")))
        #expect(try await handler.withdraw(session) == ["withdrawn": []])
    }

    @Test func listContinuesAfterThePage() async throws {
        let handler = try handler()
        for name in 0..<5 { _ = try await handler.revoke(body(#"{"tenant":"app","session":"s\#(name)"}"#)) }
        _ = try await handler.revoke(body(#"{"tenant":"shop","session":"elsewhere"}"#))
        var seen: [String] = []
        var parameters = ["tenant": "app", "limit": "2"]
        for _ in 0..<5 {
            let page = try await handler.list(RevocationQuery(parameters))
            seen += (page["revocations"]?.array ?? []).compactMap { $0.object?["id"]?.string }
            guard let next = page["next"]?.string else { break }
            parameters = ["tenant": "app", "limit": "2", "cursor": next]
        }
        #expect(seen.sorted() == ["s0", "s1", "s2", "s3", "s4"])
    }

    @Test func emptyListHasNoNextPage() async throws {
        #expect(try await handler().list(RevocationQuery(["tenant": "app"])) == ["revocations": [], "next": nil])
    }

    @Test func unknownCursorIsRefused() async throws {
        let handler = try handler()
        let query = try RevocationQuery(["tenant": "app", "cursor": "x"])
        #expect(
            await problem { () async throws(AdminProblem) in try await handler.list(query) }
                == .badRequest("\"cursor\" is none that came as \"next\" with a page of this tenant")
        )
    }

    @Test func unknownTenantGetsTheKnownNames() async throws {
        let handler = try handler()
        let expected = AdminProblem(.unknownTenant, "there is no such tenant; there are app, shop")
        let wrong = body(#"{"tenant":"App","all":true}"#)
        let query = try RevocationQuery(["tenant": "none"])
        #expect(await problem { () async throws(AdminProblem) in try await handler.revoke(wrong) } == expected)
        #expect(await problem { () async throws(AdminProblem) in try await handler.withdraw(wrong) } == expected)
        #expect(await problem { () async throws(AdminProblem) in try await handler.list(query) } == expected)
    }

    @Test func unreachableStoreIsReportedAndNothingIsInForce() async throws {
        let handler = try handler()
        store.cut()
        let all = body(#"{"tenant":"app","all":true}"#)
        let query = try RevocationQuery(["tenant": "app", "cursor": "x"])
        for problem in [
            await problem { () async throws(AdminProblem) in try await handler.revoke(all) },
            await problem { () async throws(AdminProblem) in try await handler.withdraw(all) },
            await problem { () async throws(AdminProblem) in try await handler.list(query) },
        ] {
            #expect(problem?.code == .storeUnavailable)
        }
        #expect(!isInForce(.tenant))
        #expect(!log.lines.contains { $0.hasPrefix("notice") })
    }

    @Test func everyChangeIsLoggedOnceWithoutItsToken() async throws {
        let handler = try handler()
        let token = try SampleTenant.token(["jti": "secret-id"])
        let ask = body(#"{"tenant":"app","token":"\#(token)","reason":"lost phone","for":"1h"}"#)
        var (revoked, withdrawn) = (AuditEntry(.revoke), AuditEntry(.withdraw))
        let response = try await handler.revoke(ask, &revoked)
        _ = try await handler.withdraw(ask, &withdrawn)
        for entry in [revoked, withdrawn] {
            #expect(
                entry.metadata(result: "done") == [
                    "count": "1", "kind": "token", "reason": "lost phone", "tenant": "app", "result": "done",
                ]
            )
        }
        var subject = AuditEntry(.revoke)
        _ = try await handler.revoke(body(#"{"tenant":"shop","subject":"ali\nce"}"#), &subject)
        #expect(subject.metadata(result: "done")["id"] == #"ali\u000ace"#)
        #expect(!JSONWriter.text(of: .object(response)).contains(token))
        #expect(log.lines == [])
    }

    @Test func failedChangeIsAuditedWithItsTenant() async throws {
        let handler = try handler()
        var entry = AuditEntry(.revoke)
        let wrong = body(#"{"tenant":"no\nsuch","subject":"alice"}"#)
        await #expect(throws: AdminProblem.self) { _ = try await handler.revoke(wrong, &entry) }
        #expect(
            entry.metadata(result: "unknown_tenant") == [
                "kind": "subject", "id": "alice", "tenant": #"no\u000asuch"#, "result": "unknown_tenant",
            ]
        )
    }
}

extension RevocationHandler {
    fileprivate func revoke(_ body: [UInt8]) async throws(AdminProblem) -> JSONObject {
        var entry = AuditEntry(.revoke)
        return try await revoke(body, &entry)
    }

    fileprivate func withdraw(_ body: [UInt8]) async throws(AdminProblem) -> JSONObject {
        var entry = AuditEntry(.withdraw)
        return try await withdraw(body, &entry)
    }
}
