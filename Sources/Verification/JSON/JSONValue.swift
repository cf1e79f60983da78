/// A JSON value (RFC 8259) that keeps the order of members and the spelling of numbers.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text of a string, else nil.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number, else nil.
    public var double: Double? {
        if case .number(let number) = self { number.value } else { nil }
    }

    /// The value of a boolean, else nil.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array, else nil.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The object, else nil.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The strings of an array that holds nothing else, or a lone string as an array of one; else nil.
    public var stringOrStrings: [String]? {
        switch self {
        case .string(let text): return [text]
        case .array(let elements):
            var texts: [String] = []
            texts.reserveCapacity(elements.count)
            for element in elements {
                guard case .string(let text) = element else { return nil }
                texts.append(text)
            }
            return texts
        case .null, .bool, .number, .object: return nil
        }
    }
}

/// A JSON number: the literal as written, and its value.
public struct JSONNumber: Sendable, Equatable {
    public let literal: String
    /// Always finite: the parser refuses literals beyond a double's range.
    public let value: Double

    /// Below this, 2^53, every whole double has its own decimal spelling.
    private static let exactIntegers = 9_007_199_254_740_992.0

    init(literal: String, value: Double) {
        self.literal = literal
        self.value = value
    }

    public init(_ value: Int) {
        self.init(literal: String(value), value: Double(value))
    }

    /// Nil for infinities and not-a-number, which JSON cannot write.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if value.magnitude < Self.exactIntegers, Double(Int64(value)) == value {
            self.init(literal: String(Int64(value)), value: value)
        } else {
            self.init(literal: value.description, value: value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}
