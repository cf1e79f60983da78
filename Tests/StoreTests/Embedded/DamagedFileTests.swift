import Foundation
import SQLite
import Testing

@testable import Store

/// Files that are damaged or not writable: the error names the file and the remedy, and no write is acknowledged that
/// is not stored.
@Suite(.timeLimit(.minutes(5))) struct DamagedFileTests {
    /// The damage to a closed file.
    enum Damage: CaseIterable, Sendable {
        case cutOffInTheHeader, cutOffInTheMiddle, headerOverwritten, pagesOverwritten

        func apply(to file: URL) throws {
            var content = try Data(contentsOf: file)
            switch self {
            case .cutOffInTheHeader: content = content.prefix(50)
            case .cutOffInTheMiddle: content = content.prefix(content.count / 2 + 7)
            case .headerOverwritten: content.replaceSubrange(0..<100, with: repeatElement(0xA5, count: 100))
            case .pagesOverwritten:
                content.replaceSubrange(4096..<content.count, with: repeatElement(0xA5, count: content.count - 4096))
            }
            try content.write(to: file)
        }
    }

    /// Damage that opening does not detect is detected by the first load.
    @Test(arguments: Damage.allCases)
    func damagedFileIsReportedAndNotRepaired(_ damage: Damage) async throws {
        try await StoreFactory.embedded.run { world in
            let store = try await world.store()
            _ = try await store.revoke((0..<2000).map { revocation("\($0)") })
            await store.close()
            try damage.apply(to: world.file)
            let damaged = try Data(contentsOf: world.file)
            let error = await #expect(throws: StoreError.self) { try await world.store().load(["chat"]) }
            guard case .unusable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains(world.file.path) && reason.contains("move it away, or restore it"), "\(reason)")
            // The file is kept so that it can be restored.
            #expect(try Data(contentsOf: world.file).count >= damaged.count)
        }
    }

    @Test func lockedFileIsReported() async throws {
        try await StoreFactory.embedded.run { world in
            await (try world.store()).close()
            let other = try world.connection()
            try other.script("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            let error = await #expect(throws: StoreError.self) { try await world.store() }
            #expect(error == .unavailable("\(world.file.path) is kept locked by another process"))
            other.close()
            #expect(try await world.store().load(["chat"]).records.isEmpty)
        }
    }

    @Test func fullDiskKeepsAcknowledgedWrites() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try #require(try await world.store() as? EmbeddedStore)
            var acknowledged = try await store.revoke([revocation("first")])
            try await store.write { db in
                let pages = try db.integer("PRAGMA page_count") ?? 0
                try db.script("PRAGMA max_page_count = \(pages + 20)")
            }
            var refusal: StoreError?
            for batch in 0..<1000 where refusal == nil {
                do {
                    acknowledged += try await store.revoke((0..<20).map { revocation("\(batch) \($0)") })
                } catch {
                    refusal = error as? StoreError
                }
            }
            #expect(refusal == .unavailable("no room on the disk of \(world.file.path)"))
            #expect(!store.isUp)
            #expect(Set(try await store.load(["chat"]).records.keys) == Set(acknowledged.map(\.digest)))
            try await store.write { try $0.script("PRAGMA max_page_count = 1000000") }
            acknowledged += try await store.revoke([revocation("last")])
            #expect(store.isUp)
            #expect(Set(try await store.load(["chat"]).records.keys) == Set(acknowledged.map(\.digest)))
        }
    }

    @Test func readOnlyFileIsReadButNotWritten() async throws {
        try await StoreFactory.embedded.run { world in
            let store = try #require(try await world.store() as? EmbeddedStore)
            let acknowledged = try await store.revoke([revocation("first")])
            // SQLite's error for a file without permissions, which the user of these tests may still read.
            try await store.write { try $0.script("PRAGMA query_only = 1") }
            let error = await #expect(throws: StoreError.self) { try await store.revoke([revocation("second")]) }
            guard case .unusable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("\(world.file.path) cannot be written"), "\(reason)")
            #expect(try await store.load(["chat"]).records == [acknowledged[0].digest: acknowledged[0]])
        }
    }

    @Test func damageToAnOpenFileIsAnError() async throws {
        try await StoreFactory.embedded.run { world in
            let first = try await world.store()
            _ = try await first.revoke((0..<2000).map { revocation("\($0)") })
            await first.close()
            let store = try await world.store()
            let handle = try FileHandle(forWritingTo: world.file)
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: 4096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
            try handle.close()
            let error = await #expect(throws: StoreError.self) { try await store.load(["chat"]) }
            guard case .unusable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains(world.file.path), "\(reason)")
            await #expect(throws: StoreError.self) { try await store.revoke([revocation("refused")]) }
            #expect(!store.isUp)
        }
    }
}
