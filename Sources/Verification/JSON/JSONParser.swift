/// Why bytes are not strict JSON.
public enum JSONParsingError: Error, Sendable, Equatable {
    /// The grammar of RFC 8259 is broken at this byte.
    case malformed(at: Int)
    /// An object has two members of one name.
    case duplicateMember
    /// Arrays and objects are nested deeper than allowed.
    case tooDeep
    /// A string is not UTF-8, or an escape names half of a surrogate pair.
    case notUnicode
    /// A number is beyond the range of a double.
    case numberOutOfRange
}

/// A strict JSON reader: UTF-8 only, no duplicate members at any depth (RFC 7515 section 4, RFC 8725 section 2.4),
/// bounded nesting, finite numbers, nothing after the value.
///
/// A reader with other rules than the signer could be made to see other claims.
public struct JSONParser {
    /// How deep arrays and objects may be nested.
    public static let maximumDepth = 32

    let bytes: [UInt8]
    var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads one JSON text that fills all of `bytes`.
    public static func parse(_ bytes: [UInt8]) throws(JSONParsingError) -> JSONValue {
        var parser = JSONParser(bytes)
        parser.skipWhitespace()
        let value = try parser.value()
        parser.skipWhitespace()
        guard parser.position == bytes.count else { throw .malformed(at: parser.position) }
        return value
    }

    private mutating func value() throws(JSONParsingError) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object() throws(JSONParsingError) -> JSONObject {
        try enter()
        var members: [JSONObject.Member] = []
        if take(UInt8(ascii: "}")) {
            leave()
            return JSONObject()
        }
        var names = SeenNames()
        while true {
            guard peek() == UInt8(ascii: "\"") else { throw .malformed(at: position) }
            let name = try string()
            guard names.insert(name, besides: members) else { throw .duplicateMember }
            skipWhitespace()
            guard take(UInt8(ascii: ":"), thenSkip: true) else { throw .malformed(at: position) }
            members.append(JSONObject.Member(name: name, value: try value()))
            skipWhitespace()
            if take(UInt8(ascii: "}")) { break }
            guard take(UInt8(ascii: ","), thenSkip: true) else { throw .malformed(at: position) }
        }
        leave()
        return JSONObject(distinct: members)
    }

    private mutating func array() throws(JSONParsingError) -> [JSONValue] {
        try enter()
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) {
            leave()
            return elements
        }
        while true {
            elements.append(try value())
            skipWhitespace()
            if take(UInt8(ascii: "]")) { break }
            guard take(UInt8(ascii: ","), thenSkip: true) else { throw .malformed(at: position) }
        }
        leave()
        return elements
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONParsingError) -> JSONValue {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.count,
            text.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) })
        else { throw .malformed(at: position) }
        position = end
        return value
    }

    private mutating func enter() throws(JSONParsingError) {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        depth += 1
        position += 1
        skipWhitespace()
    }

    private mutating func leave() {
        depth -= 1
    }

    @inline(__always)
    func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8, thenSkip: Bool = false) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        if thenSkip { skipWhitespace() }
        return true
    }

    private mutating func skipWhitespace() {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }
}

/// Finds duplicate names: by linear search in a small object, and with a set beyond that, so that an object with
/// thousands of members does not take quadratic time.
private struct SeenNames {
    private static let scanned = 16
    private var set: Set<[UInt8]> = []

    mutating func insert(_ name: String, besides members: [JSONObject.Member]) -> Bool {
        if members.count < Self.scanned {
            return !members.contains { $0.name.hasSameBytes(as: name) }
        }
        if set.isEmpty {
            for member in members { set.insert(Array(member.name.utf8)) }
        }
        return set.insert(Array(name.utf8)).inserted
    }
}
