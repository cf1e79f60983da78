import Foundation
import Logging
import Store
import TestSupport
import Testing

@testable import SharedState

/// Copies of stored tenants in the state directory.
struct StoredTenantDiskTests {
    private let log = RecordedLog()

    private static func sealer(_ byte: UInt8 = 1) throws -> Sealer {
        Sealer(try SealingKeys(Data(repeating: byte, count: 32).base64EncodedString()))
    }

    private static func stored(_ name: String, _ number: Int, _ text: String) -> StoredTenants.Stored {
        let version = StoredTenantVersion(
            number: number,
            id: "00\(number)",
            at: 1_800_000_000,
            by: "test",
            action: .put,
            bytes: text.utf8.count
        )
        return StoredTenants.Stored(
            head: StoredTenantHead(name: name, version, routes: ["\(name).test"], writer: .all),
            text: text
        )
    }

    private static func named(_ tenants: [StoredTenants.Stored]) -> [String: StoredTenants.Stored] {
        Dictionary(tenants.map { ($0.head.name, $0) }) { first, _ in first }
    }

    private func withDisk(_ body: (StoredTenantDisk, String) async throws -> Void) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let disk = StoredTenantDisk(
            stateDirectory: "\(scratch.path)/state",
            sealer: try Self.sealer(),
            logger: log.logger
        )
        try await body(disk, "\(scratch.path)/state/tenants")
    }

    private static func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func copiesAreReadAsTheyWereWritten() async throws {
        try await withDisk { disk, folder in
            #expect(await disk.all().isEmpty)
            let tenants = [Self.stored("a", 1, "text \"of\" ä\n"), Self.stored("b", 3, "")]
            _ = await disk.keep(Self.named(tenants), instead: nil)
            let read = await disk.all().sorted { $0.head.name < $1.head.name }
            #expect(read.map(\.head) == tenants.map(\.head) && read.map(\.text) == tenants.map(\.text))
            #expect(try Self.files(folder) == ["a.1-001", "b.3-003"])
            for file in try Self.files(folder) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
                #expect(bytes.range(of: Data("text".utf8)) == nil)
            }
            #expect(log.lines == [])
        }
    }

    @Test func onlyWhatDiffersIsWritten() async throws {
        try await withDisk { disk, folder in
            let (a, b) = (Self.stored("a", 1, "1"), Self.stored("b", 1, "1"))
            var kept = await disk.keep(Self.named([a, b]), instead: nil)
            try FileManager.default.removeItem(atPath: "\(folder)/a.1-001")
            kept = await disk.keep(Self.named([a, Self.stored("b", 2, "2"), Self.stored("c", 1, "1")]), instead: kept)
            #expect(try Self.files(folder) == ["b.2-002", "c.1-001"])
            // One that starts looks what is there.
            _ = await disk.keep(Self.named([a]), instead: nil)
            #expect(try Self.files(folder) == ["a.1-001"])
        }
    }

    @Test func copyThatCannotBeOpenedLeavesTheOthers() async throws {
        try await withDisk { disk, folder in
            _ = await disk.keep(Self.named([Self.stored("a", 1, "1"), Self.stored("b", 1, "1")]), instead: nil)
            // Another tenant's.
            try FileManager.default.removeItem(atPath: "\(folder)/a.1-001")
            try FileManager.default.copyItem(atPath: "\(folder)/b.1-001", toPath: "\(folder)/a.1-001")
            #expect(await disk.all().map(\.head.name) == ["b"])
            #expect(log.lines.filter { $0.hasPrefix("error a copy of a tenant cannot be used") }.count == 1)
        }
    }

    @Test func ofTwoVersionsTheNewerIsTaken() async throws {
        try await withDisk { disk, folder in
            _ = await disk.keep(Self.named([Self.stored("a", 9, "old")]), instead: nil)
            try FileManager.default.copyItem(atPath: "\(folder)/a.9-009", toPath: "\(folder)/kept")
            _ = await disk.keep(Self.named([Self.stored("a", 10, "new")]), instead: nil)
            try FileManager.default.moveItem(atPath: "\(folder)/kept", toPath: "\(folder)/a.9-009")
            #expect(await disk.all().map(\.text) == ["new"])
        }
    }

    @Test func unwritableFolderIsLoggedAndTriedAgain() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let path = try scratch.write("no folder", to: "state")
        let disk = StoredTenantDisk(stateDirectory: path, sealer: try Self.sealer(), logger: log.logger)
        let tenants = Self.named([Self.stored("a", 1, "1")])
        let kept = await disk.keep(tenants, instead: [])
        #expect(kept.isEmpty && log.lines.contains { $0.hasPrefix("warning a copy of a tenant cannot be written") })
        scratch.remove()
        #expect(await disk.keep(tenants, instead: kept).isEmpty)
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        #expect(await disk.keep(tenants, instead: kept).count == 1)
    }
}
