import Verification

/// The `application/x-www-form-urlencoded` format (RFC 6749 appendix B).
public enum FormText: Sendable {
    /// `name=value` pairs, joined by `&`.
    public static func bytes(of fields: [(name: String, value: [UInt8])]) -> [UInt8] {
        Array(
            fields.map { encoded(Array($0.name.utf8)) + [UInt8(ascii: "=")] + encoded($0.value) }.joined(
                separator: "&".utf8
            )
        )
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        PercentEncoding.encode(bytes) { byte in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: " "): true
            case UInt8(ascii: "~"): false
            default: PercentEncoding.isUnreserved(byte)
            }
        }.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    }
}
