import Verification

/// Writes JSON for people: a line for each member, and a list of plain values on one.
enum IndentedJSON {
    static func text(of value: JSONValue, indentation: String = "") -> String {
        let below = indentation + "  "
        switch value {
        case .object(let object) where !object.members.isEmpty:
            let members = object.members.map { member in
                "\(below)\(JSONWriter.text(of: .string(member.name))): \(text(of: member.value, indentation: below))"
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(indentation)}"
        case .array(let elements) where elements.contains(where: \.hasMembers):
            let items = elements.map { below + text(of: $0, indentation: below) }
            return "[\n\(items.joined(separator: ",\n"))\n\(indentation)]"
        case .array(let elements):
            return "[\(elements.map { JSONWriter.text(of: $0) }.joined(separator: ", "))]"
        case .null, .bool, .number, .string, .object:
            return JSONWriter.text(of: value)
        }
    }
}

extension JSONValue {
    fileprivate var hasMembers: Bool {
        switch self {
        case .object(let object): !object.members.isEmpty
        case .array: true
        case .null, .bool, .number, .string: false
        }
    }
}
