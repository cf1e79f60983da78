/// The CRC with Castagnoli's polynomial (RFC 9260 appendix A). Bit by bit: it is asked for once a connection, over a
/// few dozen bytes.
struct CRC32C {
    /// The polynomial with its bits in reverse, as is the register's order.
    private static let polynomial: UInt32 = 0x82f6_3b78
    private var register: UInt32 = .max

    var value: UInt32 { ~register }

    mutating func append(_ byte: UInt8) {
        register ^= UInt32(byte)
        for _ in 0..<8 {
            register = register & 1 == 1 ? register >> 1 ^ Self.polynomial : register >> 1
        }
    }
}
