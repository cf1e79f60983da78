import CSQLite
import Foundation
import Testing

@testable import SQLite

@Suite(.timeLimit(.minutes(5))) struct SQLitePoolTests {
    /// Ends only if it is broken off.
    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    private let file: DatabaseFile
    private let pool: SQLitePool

    init() throws {
        file = try DatabaseFile()
        pool = try file.pool()
    }

    /// - Returns: The result code that `work` ends with.
    private func code(_ work: () async throws -> Void) async -> Int32 {
        do {
            try await work()
            return SQLITE_OK
        } catch {
            return (error as? SQLiteError)?.code ?? -1
        }
    }

    @Test func readSeesOneStateWhateverIsWrittenMeanwhile() async throws {
        let counts = try await pool.read { [file] db in
            let before = try db.count()
            try file.connection().script("INSERT INTO number VALUES (1)")
            return [before, try db.count()]
        }
        #expect(counts == [0, 0])
        #expect(try await pool.read { try $0.count() } == 1)
    }

    @Test func readsGoOnBesideAWriteAndBesideEachOther() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let slow = [
            Task { [pool] in
                try await pool.write { db in
                    begin.yield()
                    return try db.integer(Self.endless)
                }
            },
            Task { [pool] in
                try await pool.read { db in
                    begin.yield()
                    return try db.integer(Self.endless)
                }
            },
        ]
        var begins = begun.makeAsyncIterator()
        for _ in slow { await begins.next() }
        for _ in 0..<20 { #expect(try await pool.read { try $0.count() } == 0) }
        for task in slow {
            task.cancel()
            #expect(await code { _ = try await task.value } == SQLITE_INTERRUPT)
        }
    }

    @Test func readCannotWrite() async throws {
        let refused = await code { try await pool.read { try $0.execute("INSERT INTO number VALUES (1)") } }
        #expect(refused & 0xFF == SQLITE_READONLY)
    }

    @Test func writeIsSyncedAndAllOrNothing() async throws {
        struct Refusal: Error {}
        #expect(try await pool.write { try $0.integer("PRAGMA synchronous") } == 2)
        await #expect(throws: Refusal.self) {
            try await pool.write { (db: SQLiteConnection) -> Void in
                try db.execute("INSERT INTO number VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try await pool.read { try $0.count() } == 0)
    }

    // MARK: Cancellation

    @Test func cancelledWriteEndsAndLeavesNothing() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let write = Task { [pool] in
            try await pool.write { db in
                try db.execute("INSERT INTO number VALUES (1)")
                begin.finish()
                return try db.integer(Self.endless)
            }
        }
        for await _ in begun {}
        write.cancel()
        #expect(await code { _ = try await write.value } == SQLITE_INTERRUPT)
        try await pool.write { try $0.execute("INSERT INTO number VALUES (2)") }
        #expect(try await pool.read { try $0.integer("SELECT sum(n) FROM number") } == 2)
    }

    @Test func callCancelledBetweenTwoStatementsExecutesNoMore() async throws {
        let write = Task { [pool] in
            try await pool.write { db in
                try db.execute("INSERT INTO number VALUES (1)")
                withUnsafeCurrentTask { $0?.cancel() }
                try db.execute("INSERT INTO number VALUES (2)")
            }
        }
        #expect(await code { try await write.value } == SQLITE_INTERRUPT)
        #expect(try await pool.read { try $0.count() } == 0)
    }

    @Test func callCancelledBeforehandExecutesNothing() async throws {
        let write = Task { [pool] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.write { try $0.execute("INSERT INTO number VALUES (1)") }
        }
        #expect(await code { try await write.value } == SQLITE_INTERRUPT)
        #expect(try await pool.read { try $0.count() } == 0)
    }

    @Test func cancellationReachesNoLaterCallOfTheConnection() async throws {
        for round in 0..<200 {
            let cancelled = Task { [pool] in try await pool.write { try $0.execute("INSERT INTO number VALUES (1)") } }
            let next = Task { [pool] in
                try await pool.write { db in
                    try db.execute("DELETE FROM number")
                    return try db.integer("SELECT count(*) FROM number a, number b")
                }
            }
            if round % 2 == 0 { await Task.yield() }
            cancelled.cancel()
            #expect(try await next.value == 0)
            _ = try? await cancelled.value
        }
    }

    // MARK: Closing, and others

    @Test func closeLetsCallsEndAndLeavesAFileThatIsWhole() async throws {
        // Keeps the log there.
        let other = try file.connection()
        #expect(try other.count() == 0)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let write = Task { [pool] in
            try await pool.write { db in
                begin.finish()
                for number in Int64(0)..<1000 { try db.execute("INSERT INTO number VALUES (?)", [.integer(number)]) }
            }
        }
        for await _ in begun {}
        await pool.close()
        try await write.value
        let log = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? NSNumber
        #expect(log?.intValue == 0)
        #expect(try other.count() == 1000)
        #expect(await code { _ = try await pool.read { try $0.count() } } == SQLITE_MISUSE)
        #expect(await code { _ = try await pool.write { try $0.count() } } == SQLITE_MISUSE)
        await pool.close()
    }

    @Test func poolsOfOneFileWriteInTurn() async throws {
        let pools = [pool, try file.pool(), try file.pool()]
        try await pool.write { try $0.execute("INSERT INTO number VALUES (0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<90 {
                let pool = pools[index % pools.count]
                group.addTask {
                    try await pool.write { db in
                        let number = try db.integer("SELECT n FROM number") ?? 0
                        try db.execute("UPDATE number SET n = ?", [.integer(number + 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.read { try $0.integer("SELECT n FROM number") } == 90)
    }

    @Test func firstTransactionThatThrowsIsUndone() throws {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            _ = try SQLitePool(file.path, busyMilliseconds: 0) { db in
                try db.execute("INSERT INTO number VALUES (1)")
                throw Refusal()
            }
        }
        #expect(try file.connection().count() == 0)
    }
}
