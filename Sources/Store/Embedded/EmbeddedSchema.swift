import SQLite
import Time

/// The tables of an ``EmbeddedStore``, and the migration of older files.
enum EmbeddedSchema {
    /// Each takes a file one version further.
    private static let steps = [first, second]

    /// Runs in one transaction: of several processes that open a new file at once, one creates the tables.
    ///
    /// - Returns: Whether the version of the file is known; if not, it is unchanged.
    static func migrate(_ db: SQLiteConnection) throws -> Bool {
        let version = Int(try db.integer("PRAGMA user_version") ?? 0)
        guard (0...steps.count).contains(version) else { return false }
        for step in steps.dropFirst(version) { try db.script(step) }
        try db.script("PRAGMA user_version = \(steps.count)")
        return true
    }

    /// Times are Unix seconds; a digest is the bits of its two halves; text that may contain NUL, at which SQLite would
    /// end it, is stored as bytes. `change` has the record as it was at the time, so that readers see each step. Its
    /// numbers have no gaps: a rolled-back transaction returns them.
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

    private static let second = """
        CREATE TABLE entry (
            collection BLOB NOT NULL, name BLOB NOT NULL, content BLOB NOT NULL, PRIMARY KEY (collection, name)
        ) STRICT;
        """
}

/// The counters of a file.
enum EmbeddedMeta {
    static func epoch(_ db: SQLiteConnection) throws -> Int64 { try number("epoch", db) }

    /// - Returns: A version above all earlier ones.
    static func nextVersion(_ db: SQLiteConnection, now: UnixTime) throws -> UInt64 {
        let last = UInt64(bitPattern: try number("version", db))
        let next = RevocationVersion.next(after: last, now: now)
        try set("version", to: Int64(bitPattern: next), db)
        return next
    }

    /// Later versions are above this one too.
    static func raiseVersion(to version: UInt64, _ db: SQLiteConnection) throws {
        guard try number("version", db) < Int64(bitPattern: version) else { return }
        try set("version", to: Int64(bitPattern: version), db)
    }

    /// Includes the time, so that a file that replaces a lost one continues above its numbers.
    static func nextFencingToken(_ db: SQLiteConnection, now: UnixTime) throws -> UInt64 {
        let microseconds = Int64(exactly: (now.seconds * 1_000_000).rounded(.down)) ?? 0
        let next = max(try number("fencing_token", db) + 1, microseconds)
        try set("fencing_token", to: next, db)
        return UInt64(bitPattern: next)
    }

    private static func number(_ name: String, _ db: SQLiteConnection) throws -> Int64 {
        guard let number = try db.integer("SELECT number FROM meta WHERE name = ?", [.text(name)]) else {
            throw StoreError.garbled("the table meta has no \(name)")
        }
        return number
    }

    private static func set(_ name: String, to number: Int64, _ db: SQLiteConnection) throws {
        try db.execute("UPDATE meta SET number = ? WHERE name = ?", [.integer(number), .text(name)])
    }
}
