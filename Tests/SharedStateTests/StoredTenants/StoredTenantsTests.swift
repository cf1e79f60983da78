import Foundation
import Store
import Tenants
import TestSupport
import Testing
import Time

@testable import SharedState

/// Reading and writing the tenants in the store.
struct StoredTenantsTests {
    private let store = MemoryStore()

    private func tenants(key: UInt8 = 1) throws -> StoredTenants {
        let seal = try SealingKeys(Data(repeating: key, count: 32).base64EncodedString())
        return StoredTenants(store: store, sealer: Sealer(seal))
    }

    private func write(_ name: String, _ condition: StoredTenantWrite.Condition, at: UnixTime = 1_800_000_000)
        -> StoredTenantWrite
    {
        StoredTenantWrite(name: name, condition: condition, by: "token ci", writer: .all, at: at)
    }

    private func problem(_ body: () async throws(StoredTenantProblem) -> Void) async -> StoredTenantProblem? {
        do throws(StoredTenantProblem) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func tenantIsWhatWasWrittenLast() async throws {
        let tenants = try tenants()
        let first = try await tenants.put("hosts: [a]", routes: ["a"], write("shop", .absent))
        #expect(first.number == 1 && first.bytes == 10 && first.action == .put && first.by == "token ci")
        let second = try await tenants.put("hosts: [b]", routes: ["b"], write("shop", .tag(first.tag)))
        #expect(second.number == 2)
        let stored = try #require(try await tenants.tenant("shop"))
        #expect(stored.text == "hosts: [b]" && stored.head.tag == second.tag && stored.head.routes == ["b"])
        #expect(try await tenants.tenant("other")?.text == nil)
        #expect(try await tenants.versions(of: "shop") == [second, first])
        #expect(try await tenants.text(of: "shop", version: 1) == "hosts: [a]")
    }

    @Test func headKeepsWhatTheWriterMayWrite() async throws {
        let tenants = try tenants()
        let pattern = try #require(TenantNamePattern("shop*"))
        var limited = write("shop", .absent)
        limited.writer = .limited(to: [pattern])
        let first = try await tenants.put("a: 1", routes: [], limited)
        #expect(try await tenants.head(of: "shop")?.writer == .limited(to: [pattern]))
        _ = try await tenants.put("a: 1", routes: [], write("shop", .tag(first.tag)))
        let head = try #require(try await tenants.head(of: "shop"))
        #expect(head.writer == .all)
        // As it was kept before there were writers.
        let old = String(decoding: head.json, as: UTF8.self).replacing(#","writer":"all""#, with: "")
        let unknown = try #require(StoredTenantHead(name: "shop", json: Array(old.utf8)))
        #expect(unknown.tag == head.tag && unknown.writer.covers("shop") && !unknown.writer.covers("shop2"))
    }

    @Test func writeOfAnotherVersionIsRefused() async throws {
        let tenants = try tenants()
        let first = try await tenants.put("a: 1", routes: [], write("shop", .absent))
        let head = try #require(try await tenants.head(of: "shop"))
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.put("a: 2", routes: [], write("shop", .absent))
            } == .exists(head)
        )
        _ = try await tenants.put("a: 3", routes: [], write("shop", .tag(first.tag)))
        let now = try await tenants.head(of: "shop")
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.put("a: 4", routes: [], write("shop", .tag(first.tag)))
            } == .changed(current: now)
        )
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.delete(write("none", .tag("1-a")))
            } == .changed(current: nil)
        )
    }

    @Test func ofTwoWritesAtOnceOneSucceeds() async throws {
        let (one, other) = (try tenants(), try tenants())
        var last = try await one.put("a: 0", routes: [], write("shop", .absent))
        for round in 1...20 {
            let tag = last.tag
            async let first = try? one.put("a: \(round)", routes: [], write("shop", .tag(tag)))
            async let second = try? other.put("b: \(round)", routes: [], write("shop", .tag(tag)))
            let winners = [await first, await second].compactMap(\.self)
            try #require(winners.count == 1)
            last = winners[0]
            #expect(try await one.head(of: "shop")?.tag == last.tag)
        }
    }

    @Test func twentyVersionsAreKept() async throws {
        let tenants = try tenants()
        var tag = try await tenants.put("v: 1", routes: [], write("shop", .absent)).tag
        for number in 2...25 {
            tag = try await tenants.put("v: \(number)", routes: [], write("shop", .tag(tag))).tag
        }
        #expect(try await tenants.versions(of: "shop").map(\.number) == Array((6...25).reversed()))
        #expect(try await tenants.text(of: "shop", version: 6) == "v: 6")
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.text(of: "shop", version: 5)
            } == .unknownVersion(5)
        )
        #expect(try await store.entries(of: StoredTenants.texts, after: nil, limit: 100).count == 20)
    }

    @Test func deletionIsAVersionAndTakesTheTenantAway() async throws {
        let tenants = try tenants()
        let first = try await tenants.put("hosts: [a]", routes: ["a"], write("shop", .absent))
        let deletion = try await tenants.delete(write("shop", .tag(first.tag)))
        #expect(deletion.number == 2 && deletion.action == .delete)
        #expect(try await tenants.tenant("shop")?.text == nil)
        #expect(try await tenants.heads(after: nil, limit: 9) == [])
        #expect(try await tenants.versions(of: "shop") == [deletion, first])
        // Its host is free again, and it may come back.
        _ = try await tenants.put("hosts: [a]", routes: ["a"], write("other", .absent))
        let text = try await tenants.text(of: "shop", version: 1)
        let back = try await tenants.put(text, routes: ["b"], write("shop", .absent), rollbackTo: 1)
        #expect(back.number == 3 && back.action == .rollback(to: 1))
        #expect(try await tenants.versions(of: "shop") == [back, deletion, first])
    }

    @Test func hostIsOneTenantsOnly() async throws {
        let tenants = try tenants()
        let first = try await tenants.put("a", routes: ["a", "b"], write("shop", .absent))
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.put("b", routes: ["c", "b"], write("other", .absent))
            } == .routeTaken(route: "b", by: "shop")
        )
        #expect(try await tenants.head(of: "other") == nil)
        _ = try await tenants.put("a", routes: ["a"], write("shop", .tag(first.tag)))
        _ = try await tenants.put("b", routes: ["c", "b"], write("other", .absent))
    }

    @Test func textIsSealedForItsVersion() async throws {
        let tenants = try tenants()
        let version = try await tenants.put("secret: s3cret", routes: [], write("shop", .absent))
        let entry = try #require(try await store.entries(of: StoredTenants.texts, after: nil, limit: 9).first)
        #expect(entry.name == "shop/\(version.tag)")
        #expect(!String(decoding: entry.value, as: UTF8.self).contains("s3cret"))
        let second = try await tenants.put("secret: other", routes: [], write("shop", .tag(version.tag)))
        // The old text in the place of the new one.
        _ = try await store.change([EntryChange(StoredTenants.texts, "shop/\(second.tag)", to: entry.value)])
        guard
            case .store(.sealBroken) = await problem({ () async throws(StoredTenantProblem) in
                _ = try await tenants.tenant("shop")
            })
        else {
            Issue.record("it was opened")
            return
        }
    }

    @Test func textOfAnOlderKeyIsSealedAnew() async throws {
        let old = try tenants(key: 1)
        let first = try await old.put("a: 0", routes: [], write("shop", .absent))
        _ = try await old.put("a: 1", routes: [], write("shop", .tag(first.tag)))
        let keys = [2, 1].map { Data(repeating: $0, count: 32).base64EncodedString() }.joined(separator: ",")
        let both = StoredTenants(store: store, sealer: Sealer(try SealingKeys(keys)))
        #expect(try await both.tenant("shop")?.text == "a: 1")
        #expect(try await tenants(key: 2).tenant("shop")?.text == "a: 1")
        // Nobody has read the earlier version.
        try await both.sealAnew()
        #expect(try await tenants(key: 2).text(of: "shop", version: 1) == "a: 0")
    }

    @Test func nothingIsWrittenWithoutAKey() async throws {
        let tenants = StoredTenants(store: store, sealer: nil)
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.put("a: 1", routes: [], write("shop", .absent))
            } == .noSealingKey
        )
        #expect(try await store.entries(of: StoredTenants.heads, after: nil, limit: 9) == [])
    }

    @Test func versionsOfTheTenantsDeletedLastAreKept() async throws {
        let tenants = StoredTenants(store: store, sealer: try tenants().sealer, deletedLimit: 3)
        for number in 0...3 {
            let name = "t\(number)"
            let version = try await tenants.put("a: 1", routes: [], write(name, .absent))
            _ = try await tenants.delete(write(name, .tag(version.tag), at: 1_800_000_000 + Double(number)))
        }
        #expect(try await tenants.versions(of: "t0") == [])
        #expect(try await tenants.versions(of: "t1").count == 2)
        #expect(try await store.entries(of: StoredTenants.deleted, after: nil, limit: 9).count == 3)
        #expect(try await store.entries(["t0"], of: StoredTenants.histories) == [])
        #expect(try await store.entries(of: StoredTenants.texts, after: nil, limit: 9).count == 3)
    }

    @Test func garbledRecordIsNoTenant() async throws {
        let tenants = try tenants()
        _ = try await store.change([EntryChange(StoredTenants.heads, "shop", to: Array("{}".utf8))])
        #expect(
            await problem { () async throws(StoredTenantProblem) in
                _ = try await tenants.heads(after: nil, limit: 9)
            } == .store(.garbled("the tenant shop"))
        )
    }
}
