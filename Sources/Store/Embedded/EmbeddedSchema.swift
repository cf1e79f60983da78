import GRDB
import Time

/// The tables of an ``EmbeddedStore``, and how older files come to have them.
enum EmbeddedSchema {
    /// Each takes a file one version further.
    private static let steps = [first]

    /// In one transaction of its own: of several processes that open a new file at once, one makes the tables.
    ///
    /// - Returns: Whether the file is of a version that is known here; if not, it is as it was.
    static func migrate(_ db: Database) throws -> Bool {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= steps.count else { return false }
        for step in steps.dropFirst(version) { try db.execute(sql: step) }
        try db.execute(sql: "PRAGMA user_version = \(steps.count)")
        return true
    }

    /// Times are Unix seconds; a digest is the bits of its two halves; text that may hold a NUL, where SQLite would end
    /// it, is bytes. `change` holds what was on record at the time, so
    /// that readers see each step. Its numbers have no gaps: a transaction that is rolled back gives them back.
    private static let first = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO meta VALUES ('epoch', random()), ('version', 0), ('fencing_token', 0);

        CREATE TABLE value (
            key BLOB PRIMARY KEY, content BLOB NOT NULL, expires_at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX value_expiry ON value (expires_at) WHERE expires_at < 9e999;

        CREATE TABLE lease (
            key BLOB PRIMARY KEY, holder TEXT NOT NULL, expires_at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lease_expiry ON lease (expires_at);

        CREATE TABLE revocation (
            tenant TEXT NOT NULL, digest_high INTEGER NOT NULL, digest_low INTEGER NOT NULL,
            version INTEGER NOT NULL, withdrawn INTEGER NOT NULL,
            revoked_at REAL NOT NULL, expires_at REAL NOT NULL, note TEXT NOT NULL,
            PRIMARY KEY (tenant, digest_high, digest_low)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX revocation_expiry ON revocation (tenant, expires_at) WHERE expires_at < 9e999;

        CREATE TABLE change (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL, digest_high INTEGER NOT NULL, digest_low INTEGER NOT NULL,
            version INTEGER NOT NULL, withdrawn INTEGER NOT NULL,
            revoked_at REAL NOT NULL, expires_at REAL NOT NULL, note TEXT NOT NULL
        ) STRICT;

        CREATE TABLE announcement (
            id INTEGER PRIMARY KEY AUTOINCREMENT, topic BLOB NOT NULL, subject BLOB NOT NULL
        ) STRICT;
        """
}

/// The numbers that a file counts on.
enum EmbeddedMeta {
    static func epoch(_ db: Database) throws -> Int64 { try number("epoch", db) }

    /// - Returns: A version above all there were.
    static func nextVersion(_ db: Database, now: UnixTime) throws -> UInt64 {
        let last = UInt64(bitPattern: try number("version", db))
        let next = RevocationVersion.next(after: last, now: now)
        try set("version", to: Int64(bitPattern: next), db)
        return next
    }

    /// From here on, versions are above this one too.
    static func raiseVersion(to version: UInt64, _ db: Database) throws {
        guard try number("version", db) < Int64(bitPattern: version) else { return }
        try set("version", to: Int64(bitPattern: version), db)
    }

    /// Time is in it, so that a file that takes the place of a lost one goes on above that.
    static func nextFencingToken(_ db: Database, now: UnixTime) throws -> UInt64 {
        let microseconds = Int64(exactly: (now.seconds * 1_000_000).rounded(.down)) ?? 0
        let next = max(try number("fencing_token", db) + 1, microseconds)
        try set("fencing_token", to: next, db)
        return UInt64(bitPattern: next)
    }

    private static func number(_ name: String, _ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT number FROM meta WHERE name = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [name]) else {
            throw StoreError.garbled("the table meta has no \(name)")
        }
        return number
    }

    private static func set(_ name: String, to number: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE meta SET number = ? WHERE name = ?").execute(arguments: [number, name])
    }
}
