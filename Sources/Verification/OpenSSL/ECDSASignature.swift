/// Converts ECDSA signatures between JWS, with R and S concatenated in the size of the curve (RFC 7518 section 3.4),
/// and OpenSSL, a DER sequence (RFC 3279 section 2.2.3).
enum ECDSASignature {
    /// The DER form. OpenSSL checks whether R and S are between one and the group's order.
    static func der(fromRaw raw: [UInt8]) -> [UInt8] {
        let half = raw.count / 2
        return DER.sequence(DER.unsignedInteger(raw[..<half]) + DER.unsignedInteger(raw[half...]))
    }

    /// The two numbers of a DER signature that OpenSSL made, each padded to `coordinateSize`; nil if it is not one.
    static func raw(fromDER der: [UInt8], coordinateSize: Int) -> [UInt8]? {
        // SEQUENCE, its length in one byte or two (P-521 needs two), then INTEGER R and INTEGER S.
        var position = der.count > 1 && der[1] == 0x81 ? 3 : 2
        guard let r = integer(der, &position, coordinateSize), let s = integer(der, &position, coordinateSize),
            position == der.count
        else { return nil }
        return r + s
    }

    private static func integer(_ der: [UInt8], _ position: inout Int, _ size: Int) -> [UInt8]? {
        guard position + 2 <= der.count, der[position] == 0x02 else { return nil }
        let end = position + 2 + Int(der[position + 1])
        guard end <= der.count else { return nil }
        let number = der[position + 2..<end].drop { $0 == 0 }
        position = end
        guard number.count <= size else { return nil }
        return [UInt8](repeating: 0, count: size - number.count) + number
    }
}
