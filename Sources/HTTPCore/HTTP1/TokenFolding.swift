/// Maps each byte of a field's name to the byte it counts as. Make it once for many bytes.
public struct TokenFolding {
    /// 128 bytes.
    @usableFromInline
    let table: UnsafePointer<UInt8>

    @inlinable
    public init() {
        // Static memory, which lives as long as the program.
        table = Self.bytes.utf8Start
    }

    /// ``Swift/UInt8/asFieldNameByte`` for bytes of a token (RFC 9110 section 5.6.2), 0 for all others.
    @inlinable
    public subscript(byte: UInt8) -> UInt8 {
        // The table has all values below 128.
        byte < 128 ? table[Int(byte)] : 0
    }

    /// Four rows of 32.
    @usableFromInline
    static let bytes: StaticString = """
        \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
        \0-\0-----\0\0--\0--\00123456789\0\0\0\0\0\0\
        \0abcdefghijklmnopqrstuvwxyz\0\0\0--\
        -abcdefghijklmnopqrstuvwxyz\0-\0-\0
        """
}
