/// What a token or a cookie may be made of. Whoever writes one into a field or a cookie relies on it.
enum TokenText {
    /// The longest that is taken, in bytes.
    static let mostBytes = 16 << 10

    /// A JWS in its compact form (RFC 7515 section 7.1), by its characters alone.
    static func isAccessToken(_ bytes: [UInt8]) -> Bool {
        var dots = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return dots == 2 && bytes.count <= mostBytes
    }

    /// RFC 6749 appendix A.17, without the space: none has one, and some readers would end there.
    static func isRefreshToken(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.count <= mostBytes && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Cookie octets (RFC 6265 section 4.1.1), without the quotes that may be around them.
    static func isCookieValue(_ bytes: [UInt8]) -> Bool {
        bytes.count <= mostBytes
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
                default: (0x21...0x7E).contains(byte)
                }
            }
    }
}
