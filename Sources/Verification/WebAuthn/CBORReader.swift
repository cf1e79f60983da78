/// Why bytes are no CBOR, or none that WebAuthn allows.
enum CBORProblem: Error, Equatable {
    /// The value goes on after the last byte.
    case truncated
    /// A number in more bytes than it needs, or an indefinite length.
    case notCanonical
    /// A tag, a floating-point number, or a reserved code.
    case unsupported
    case notUTF8
    case duplicateKey
    /// A map with more members than any of an authenticator's.
    case tooMany
    case tooDeep
}

/// Reads CBOR in the form that authenticators must write (CTAP 2.1 section 8): definite lengths, numbers in as few
/// bytes as possible, no tags, no key twice. Strict, since a value with two spellings could be read as two values.
struct CBORReader {
    /// CTAP allows four; attestation objects have them one deeper.
    private static let mostLevels = 8
    /// Each key is compared with all before it.
    private static let mostMembers = 64

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads the one value that fills all of `bytes`.
    static func read(_ bytes: [UInt8]) throws(CBORProblem) -> CBORValue? {
        let (value, rest) = try readFirst(bytes[...])
        return rest.isEmpty ? value : nil
    }

    /// Reads the value that `bytes` begins with.
    ///
    /// - Returns: The value, and what comes after it.
    static func readFirst(_ bytes: ArraySlice<UInt8>) throws(CBORProblem) -> (CBORValue, rest: ArraySlice<UInt8>) {
        var reader = CBORReader(bytes)
        let value = try reader.value(levels: 0)
        return (value, bytes[reader.position...])
    }

    private mutating func value(levels: Int) throws(CBORProblem) -> CBORValue {
        guard levels < Self.mostLevels else { throw .tooDeep }
        let first = try byte()
        let (kind, information) = (first >> 5, first & 0x1F)
        if kind == 7 { return try simple(information) }
        let number = try number(information)
        switch kind {
        case 0: return .unsigned(number)
        case 1: return .negative(number)
        case 2: return .bytes(try take(number))
        case 3:
            guard let text = String(validating: try take(number), as: UTF8.self) else { throw .notUTF8 }
            return .text(text)
        case 4:
            var items: [CBORValue] = []
            for _ in 0..<(try count(number)) { items.append(try value(levels: levels + 1)) }
            return .array(items)
        case 5: return .map(try members(number, levels: levels))
        default: throw .unsupported
        }
    }

    private mutating func members(_ number: UInt64, levels: Int) throws(CBORProblem) -> [CBORValue.Member] {
        guard number <= Self.mostMembers else { throw .tooMany }
        var members: [CBORValue.Member] = []
        for _ in 0..<(try count(number)) {
            let key = try value(levels: levels + 1)
            guard !members.contains(where: { $0.key == key }) else { throw .duplicateKey }
            members.append(CBORValue.Member(key: key, value: try value(levels: levels + 1)))
        }
        return members
    }

    private func simple(_ information: UInt8) throws(CBORProblem) -> CBORValue {
        switch information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        default: throw .unsupported
        }
    }

    /// The number in or after the first byte (RFC 8949 section 3).
    private mutating func number(_ information: UInt8) throws(CBORProblem) -> UInt64 {
        let size: Int
        switch information {
        case 0..<24: return UInt64(information)
        case 24: size = 1
        case 25: size = 2
        case 26: size = 4
        case 27: size = 8
        case 31: throw .notCanonical
        default: throw .unsupported
        }
        var number: UInt64 = 0
        for _ in 0..<size { number = number << 8 | UInt64(try byte()) }
        let least: UInt64 = size == 1 ? 24 : 1 << UInt64(size * 4)
        guard number >= least else { throw .notCanonical }
        return number
    }

    /// How many values follow: each has a byte at least.
    private func count(_ number: UInt64) throws(CBORProblem) -> Int {
        guard number <= UInt64(bytes.endIndex - position) else { throw .truncated }
        return Int(number)
    }

    private mutating func byte() throws(CBORProblem) -> UInt8 {
        guard position < bytes.endIndex else { throw .truncated }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func take(_ number: UInt64) throws(CBORProblem) -> [UInt8] {
        let end = position + (try count(number))
        defer { position = end }
        return Array(bytes[position..<end])
    }
}
