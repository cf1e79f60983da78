/// Writes JSON compactly, without white space.
public enum JSONWriter {
    /// The order of an object's members in the output.
    public enum Order: Sendable {
        /// As in the object.
        case given
        /// By the bytes of their names, as required for a thumbprint (RFC 7638 section 3.3).
        case sorted
    }

    /// The JSON text of `value` as UTF-8.
    public static func bytes(of value: JSONValue, order: Order = .given) -> [UInt8] {
        var output: [UInt8] = []
        write(value, order, into: &output)
        return output
    }

    /// The JSON text of `object` as UTF-8.
    public static func bytes(of object: JSONObject, order: Order = .given) -> [UInt8] {
        bytes(of: .object(object), order: order)
    }

    /// The JSON text of `value`.
    public static func text(of value: JSONValue, order: Order = .given) -> String {
        String(decoding: bytes(of: value, order: order), as: UTF8.self)
    }

    private static func write(_ value: JSONValue, _ order: Order, into output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .number(let number): output += number.literal.utf8
        case .string(let text): write(text, into: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                write(element, order, into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            write(members(of: object, in: order), order, into: &output)
        }
    }

    private static func write(_ members: [JSONObject.Member], _ order: Order, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(member.name, into: &output)
            output.append(UInt8(ascii: ":"))
            write(member.value, order, into: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func members(of object: JSONObject, in order: Order) -> [JSONObject.Member] {
        switch order {
        case .given: object.members
        case .sorted: object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }

    private static func write(_ text: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x0A: output += "\\n".utf8
            case 0x0D: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case ..<0x20:
                output += "\\u00".utf8
                output.append(Hexadecimal.digit(byte >> 4))
                output.append(Hexadecimal.digit(byte & 0x0F))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
