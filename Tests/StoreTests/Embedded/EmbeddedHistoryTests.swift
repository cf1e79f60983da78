import Testing

@testable import Store

/// Rows of the history that were deleted before they were read are reported as missed.
@Suite struct EmbeddedHistoryTests {
    @Test(arguments: [0, 3], ["IN (1, 4)", "IN (2, 5)", "IN (3, 6)", "> 0"])
    func deletedUnreadChangeIsMissed(seen: Int, deleted: String) async throws {
        try await StoreFactory.embedded.run { world in
            let writer = try await world.store()
            let reader = try await world.store()
            if seen > 0 { _ = try await writer.revoke((0..<seen).map { revocation("seen \($0)") }) }
            let (_, position) = try await reader.load(["chat"])
            _ = try await writer.revoke((0..<3).map { revocation("\($0)") })
            try world.write("DELETE FROM change WHERE id > \(seen) AND id \(deleted)")
            #expect(try await reader.changes(after: position, waiting: .seconds(30)) == .missed)
            let (records, next) = try await reader.load(["chat"])
            #expect(records.count == seen + 3)
            #expect(try await reader.changes(after: next, waiting: .zero) == .changes([], [], next))
            let last = try await writer.revoke([revocation("last")])
            #expect(try await reader.changes(after: next) == last)
        }
    }
}
