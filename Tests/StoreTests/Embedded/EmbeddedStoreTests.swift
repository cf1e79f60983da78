import Foundation
import SQLite
import Testing

@testable import Store

@Suite struct EmbeddedStoreTests {
    private let key = StoreKey(tenant: "chat", kind: "value", name: "a")

    private func unusable(_ path: String) async -> String? {
        let error = await #expect(throws: StoreError.self) { try await EmbeddedStore(path: path).open() }
        guard case .unusable(let reason) = error else { return nil }
        return reason
    }

    @Test func contentSurvivesReopening() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let records = try await store.revoke([revocation("one"), revocation("two")])
            try await store.set([1], for: key, lifetime: nil)
            let lease = try #require(try await store.acquire(key, for: .seconds(60)))
            let (_, position) = try await store.load([])
            await store.close()
            let again = try await world.store()
            #expect(Set(try await again.load(["chat"]).records.keys) == Set(records.map(\.digest)))
            #expect(try await again.value(for: key) == [1])
            #expect(try await again.acquire(key, for: .seconds(60)) == nil)
            #expect(try await again.renew(lease, for: .seconds(60)))
            #expect(try await again.changes(after: position, waiting: .zero) == .changes([], [], position))
            #expect(try await again.revoke([revocation("three")])[0].version > records[1].version)
        }
    }

    @Test func newFileCanBeOpenedConcurrently() async throws {
        try await StoreFactory.embedded.run { world in
            for turn in 0..<10 {
                let path = world.file.path + "-\(turn)"
                defer {
                    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            let store = EmbeddedStore(path: path)
                            try await store.open()
                            await store.close()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func copyHasAcknowledgedWrites() async throws {
        // As a killed process leaves them: the files are never closed.
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let records = try await store.revoke((0..<500).map { revocation("\($0)") })
            let copy = world.file.path + "-copy"
            defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) } }
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: world.file.path + suffix, toPath: copy + suffix)
            }
            let survivor = EmbeddedStore(path: copy)
            try await survivor.open()
            #expect(try await survivor.load(["chat"]).records.count == records.count)
            await survivor.close()
        }
    }

    @Test func restoredCopyIsAnotherHistory() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            _ = try await store.revoke([revocation("one")])
            await store.close()
            // The file is complete without its log.
            let log = try? Data(contentsOf: URL(fileURLWithPath: world.file.path + "-wal"))
            #expect(log?.isEmpty ?? true)
            let copy = try Data(contentsOf: world.file)
            let later = try await world.store()
            _ = try await later.revoke([revocation("two")])
            let (_, position) = try await later.load([])
            await later.close()
            try copy.write(to: world.file)
            world.clock.advance(1)
            let back = try await world.store()
            #expect(try await back.changes(after: position, waiting: .zero) == .missed)
            _ = try await back.revoke([revocation("three")])
            #expect(try await back.changes(after: position, waiting: .zero) == .missed)
        }
    }

    @Test func fileIsPrivateAndCommitsAreSynced() async throws {
        try await StoreFactory.embedded.run { world in
            _ = try await world.store()
            let attributes = try FileManager.default.attributesOfItem(atPath: world.file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let pool = try EmbeddedFile.open(world.file.path)
            let (synchronous, journal) = try await pool.write { db in
                var mode = try db.query("PRAGMA journal_mode")
                return (try db.integer("PRAGMA synchronous"), try mode.next() ? try mode.text(0) : nil)
            }
            #expect(synchronous == 2 && journal == "wal")
            await pool.close()
        }
    }

    @Test func unusableFileIsReportedWithARemedy() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let missing = directory.appendingPathComponent("none/gatehouse.db").path
        let missingReason = await unusable(missing)
        #expect(missingReason?.contains(missing) == true && missingReason?.contains("create it") == true)
        let directoryReason = await unusable(directory.path)
        #expect(directoryReason?.contains("give the path of a file") == true)
        let text = directory.appendingPathComponent("text.db")
        try Data(String(repeating: "this is no database\n", count: 100).utf8).write(to: text)
        let textReason = await unusable(text.path)
        #expect(textReason?.contains("text.db is not a database") == true)
        #expect(textReason?.contains("move it away") == true)
        let below = await unusable(text.path + "/gatehouse.db")
        #expect(below?.contains("give another path") == true)
    }

    @Test(arguments: [999, -1]) func fileOfANewerVersionIsNotChanged(version: Int) async throws {
        try await StoreFactory.embedded.run { world in
            await (try world.store()).close()
            try world.write("PRAGMA user_version = \(version)")
            let reason = await unusable(world.file.path)
            #expect(reason?.contains(world.file.path) == true && reason?.contains("newer Gatehouse") == true)
        }
    }

    @Test func concurrentlyOpenedNewFileIsShared() async throws {
        try await StoreFactory.embedded.run { world in
            let stores = try await withThrowingTaskGroup(of: (any Store).self) { group in
                for _ in 0..<6 { group.addTask { try await world.store() } }
                return try await group.reduce(into: [any Store]()) { $0.append($1) }
            }
            for (index, store) in stores.enumerated() { _ = try await store.revoke([revocation("\(index)")]) }
            for store in stores { #expect(try await store.load(["chat"]).records.count == 6) }
        }
    }

    @Test(.timeLimit(.minutes(5))) func lockedFileIsUnavailableInTime() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let other = try world.connection()
            try other.script("BEGIN IMMEDIATE")
            let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("one")]) }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!store.isUp)
            // Reading goes on beside a writer.
            #expect(try await store.load(["chat"]).records.isEmpty)
            try other.script("ROLLBACK")
            #expect(try await store.revoke([revocation("one")]).count == 1)
            #expect(store.isUp)
            other.close()
        }
    }

    /// Rate limits go on without the store long before SQLite gives up.
    @Test(.timeLimit(.minutes(5))) func allowanceUseObeysItsTimeout() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let other = try world.connection()
            try other.script("BEGIN IMMEDIATE")
            let key = StoreKey(tenant: "chat", kind: "limit", name: "x")
            let use = AllowanceUse(key: key, count: 1, interval: 1_000_000, most: 10_000_000)
            let error = await #expect(throws: StoreError.self) { try await store.use([use], timeout: .zero) }
            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.hasPrefix("not done within"))
            try other.script("ROLLBACK")
            other.close()
        }
    }

    /// Of a table that was created again without its types.
    @Test(arguments: ["version", "withdrawn", "revoked_at", "note", "tenant"])
    func columnOfAnotherTypeIsUnreadable(column: String) async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let (_, position) = try await store.load(["chat"])
            let records = try await store.revoke([revocation("one"), revocation("two")])
            let digest = Int64(bitPattern: records[0].digest.high)
            for table in column == "tenant" ? ["change"] : ["change", "revocation"] {
                try world.write(
                    """
                    CREATE TABLE loose AS SELECT * FROM \(table);
                    DROP TABLE \(table);
                    ALTER TABLE loose RENAME TO \(table);
                    UPDATE \(table) SET \(column) = x'00' WHERE digest_high = \(digest);
                    """
                )
            }
            let left = column == "tenant" ? records : [records[1]]
            #expect(Set(try await store.load(["chat"]).records.keys) == Set(left.map(\.digest)))
            #expect(try await store.changes(after: position, waiting: .zero) == .missed)
            #expect(store.isUp)
        }
    }

    @Test func missingCountersAreAnError() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            let (_, position) = try await store.load([])
            try world.write("DELETE FROM meta")
            for call in 0..<2 {
                let error = await #expect(throws: StoreError.self) {
                    if call == 0 { _ = try await store.load(["chat"]) }
                    if call == 1 { _ = try await store.changes(after: position, waiting: .zero) }
                }
                guard case .garbled = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }
}
