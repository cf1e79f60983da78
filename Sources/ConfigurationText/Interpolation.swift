/// Fills `${NAME}` and `${NAME:-default}` in from the environment.
///
/// This happens after YAML was parsed, on one scalar at a time, so that a variable's value is never read as YAML. `$${`
/// stands for a literal `${`; any other `$` stands for itself. As in a shell, `:-` also replaces an empty value.
package struct Interpolation {
    /// Why a reference cannot be resolved. Names the variable, never a value.
    package enum Problem: Error, Equatable, CustomStringConvertible {
        case unset(name: String)
        case unterminated
        case malformed
        case nested

        package var description: String {
            switch self {
            case .unset(let name):
                "the environment variable \(name) is not set: export it; what is no secret may have a default, ${\(name):-default}"
            case .unterminated:
                "\"${\" without \"}\": write ${NAME} or ${NAME:-default}, or $${ for the text itself"
            case .malformed:
                "no variable's name between \"${\" and \"}\": write ${NAME} or ${NAME:-default}, "
                    + "or $${ for the text itself"
            case .nested:
                "a default cannot hold another \"${\": export the variable, or write the default out"
            }
        }
    }

    package var environment: [String: String]

    /// - Returns: The text, and the variables whose values are in it, without those that a default replaced.
    package func resolve(_ text: String) throws(Problem) -> (text: String, variables: [String]) {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return (text, []) }
        var result = ""
        var variables: [String] = []
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                result += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                let (name, value, end) = try reference(rest.dropFirst(2))
                if let name { variables.append(name) }
                result += value
                rest = rest[end...]
            } else {
                result.append("$")
                rest = rest.dropFirst()
            }
        }
        return (result + rest, variables)
    }

    /// Reads one reference from after its `${` to after its `}`.
    private func reference(_ text: Substring) throws(Problem) -> (name: String?, value: String, end: String.Index) {
        guard let close = text.firstIndex(of: "}") else { throw .unterminated }
        let inside = text[..<close]
        let name = inside.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard let first = name.first, !first.isNumber else { throw .malformed }
        let tail = inside[name.endIndex...]
        let value = environment[String(name)]
        let end = text.index(after: close)
        if tail.isEmpty {
            guard let value else { throw .unset(name: String(name)) }
            return (String(name), value, end)
        }
        guard tail.hasPrefix(":-") else { throw .malformed }
        let fallback = tail.dropFirst(2)
        guard !fallback.contains("${") else { throw .nested }
        guard let value, !value.isEmpty else { return (nil, String(fallback), end) }
        return (String(name), value, end)
    }
}
