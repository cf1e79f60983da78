/// The characters of tokens and cookie values. Code that writes them into header fields relies on these checks.
enum TokenText {
    /// The maximum length in bytes.
    static let mostBytes = 16 << 10

    /// A JWS in compact serialization (RFC 7515 section 7.1), by its characters only.
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

    /// RFC 6749 appendix A.17, without the space, at which some parsers would stop.
    static func isRefreshToken(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.count <= mostBytes && bytes.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Cookie octets (RFC 6265 section 4.1.1), without surrounding quotes.
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
