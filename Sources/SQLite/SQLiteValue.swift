/// A parameter of a statement.
public enum SQLiteValue: Sendable, Equatable {
    case null
    case integer(Int64)
    /// SQLite stores NaN as null.
    case real(Double)
    /// May contain NUL, at which SQLite's own functions end it.
    case text(String)
    case bytes([UInt8])
}
