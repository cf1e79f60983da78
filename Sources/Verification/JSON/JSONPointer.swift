/// A location in a JSON document (RFC 6901), like `/data/token`.
///
/// Names are compared byte for byte, as section 4 has it, and so are pointers.
public struct JSONPointer: Sendable {
    /// As it was written.
    public let text: String
    /// The reference tokens, unescaped; none: the whole document.
    let tokens: [String]

    private static let slash = UInt8(ascii: "/")
    private static let tilde = UInt8(ascii: "~")

    /// - Returns: Nil for an invalid pointer (section 3): it must be empty or begin with `/`, and each `~` must be
    ///   followed by 0 or 1.
    public init?(_ text: String) {
        guard text.isEmpty || text.utf8.first == Self.slash else { return nil }
        var tokens: [String] = []
        // By bytes: a combining mark after a slash makes both one `Character`, which is no slash.
        for part in text.utf8.split(separator: Self.slash, omittingEmptySubsequences: false).dropFirst() {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.text = text
        self.tokens = tokens
    }

    /// The value at the location (section 4); nil if there is none, as always after the last element of an array (`-`).
    public func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Self.index(token), index < elements.count else { return nil }
                value = elements[index]
            case .null, .bool, .number, .string: return nil
            }
        }
        return value
    }

    /// Digits without leading zeros.
    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }

    private static func unescaped(_ part: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(part.count)
        var rest = part
        while let byte = rest.popFirst() {
            guard byte == tilde else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(tilde)
            case UInt8(ascii: "1"): bytes.append(slash)
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONPointer: Hashable {
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // No byte of UTF-8: where the text ends.
        hasher.combine(0xFF as UInt8)
    }
}
