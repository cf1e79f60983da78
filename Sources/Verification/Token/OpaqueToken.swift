/// Opaque tokens: only the server that issued them knows what they mean (RFC 7662).
public enum OpaqueToken {
    /// Whether a token does not have the form of a compact JWS, which the issuers' keys verify: two dots, and before
    /// the first the beginning of a JSON object in base64url, with or without white space.
    public static func isOpaque(_ token: Span<UInt8>) -> Bool {
        guard beginsWithObject(token) else { return true }
        var dots = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") { dots += 1 }
        return dots != 2
    }

    /// Decodes only as far as needed: usually one or two bytes.
    private static func beginsWithObject(_ token: Span<UInt8>) -> Bool {
        var pending: UInt32 = 0
        var bits = 0
        var isInside = false
        for index in 0..<min(token.count, CompactToken.maximumLength) {
            guard let value = base64URLValue(token[index]) else { return false }
            pending = (pending << 6 | value) & 0xFFFF
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            switch UInt8(truncatingIfNeeded: pending >> UInt32(bits)) {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "{") where !isInside: isInside = true
            // The first member, or none at all.
            case UInt8(ascii: "\""), UInt8(ascii: "}"): return isInside
            default: return false
            }
        }
        return false
    }

    private static func base64URLValue(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Whether it may be introspected: a `b64token` (RFC 6750 section 2.1), no longer than a JWS may be.
    public static func isWellFormed(_ token: Span<UInt8>) -> Bool {
        guard token.count <= CompactToken.maximumLength else { return false }
        var end = token.count
        while end > 0, token[end - 1] == UInt8(ascii: "=") { end -= 1 }
        guard end > 0 else { return false }
        for index in 0..<end {
            switch token[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                continue
            default: return false
            }
        }
        return true
    }

    /// Identifies the token in revocations.
    public static func digest(_ token: [UInt8]) -> [UInt8] {
        SHA256.digest(token)
    }
}
