/// The CRC with Castagnoli's polynomial (RFC 9260 appendix A). Computed bit by bit: it is needed once per connection,
/// over a few dozen bytes.
struct CRC32C {
    /// The polynomial with its bits reversed, to match the register's bit order.
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
