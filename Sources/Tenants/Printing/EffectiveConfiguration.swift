import ConfigurationText

/// The configuration with the environment and every default filled in, and secrets redacted.
public struct EffectiveConfiguration: Sendable {
    private let root: DocumentNode
    private let origins: DocumentOrigins
    /// The path of tenants.yaml.
    private let file: String

    init(root: DocumentNode, origins: DocumentOrigins, file: String) {
        self.root = root
        self.origins = origins
        self.file = file
    }

    /// The configuration as YAML, with every key that has a value or a default. Secrets stand as ``Secret/redaction``. A
    /// value that is not from its tenant's own lines has its origin behind it, as a comment.
    public func print() -> String {
        var printer = ConfigurationPrinter()
        printer.origins = ConfigurationPrinter.Origins(documents: origins, file: file)
        printer.object(root, Schema.root.object, indentation: 0)
        return printer.text
    }

    /// One value on one line, with secrets redacted.
    static func text(_ node: DocumentNode, _ type: SchemaType) -> String { ConfigurationPrinter().flow(node, type) }
}

/// Writes values in the order of the schema.
private struct ConfigurationPrinter {
    struct Origins {
        let documents: DocumentOrigins
        let file: String
        /// nil outside of tenants.
        var tenant: String?

        /// What stands behind a value on its line.
        func comment(_ node: DocumentNode) -> String {
            guard let tenant else { return "" }
            let place = "\(node.position.source.name ?? file):\(node.position.line)"
            switch documents.owner(of: node.position) {
            case .tenant(tenant): return ""
            case .tenant(let other): return "  # tenants.\(other), \(place)"
            case .template(let name): return "  # templates.\(name), \(place)"
            case .none: return "  # \(place)"
            }
        }
    }

    var text = ""
    /// nil: none are written.
    var origins: Origins?

    /// For a part of the text.
    private var part: ConfigurationPrinter {
        var part = ConfigurationPrinter()
        part.origins = origins
        return part
    }

    mutating func object(_ node: DocumentNode?, _ object: SchemaObject, indentation: Int) {
        for key in object.keys {
            if let value = node?[named: key.name] {
                self.value(value, key.type, name: key.name, indentation: indentation)
            } else if key.isOnlyIfGiven {
                continue
            } else if let text = key.default {
                line(indentation, "\(key.name): \(text)")
            } else if case .object(let below) = key.type, below.isWhollyOptional {
                section(nil, below, name: key.name, indentation: indentation)
            }
        }
    }

    /// An empty section is left out: a key without a value is an error.
    private mutating func section(_ node: DocumentNode?, _ object: SchemaObject, name: String, indentation: Int) {
        var below = part
        below.object(node, object, indentation: indentation + 1)
        guard !below.text.isEmpty else { return }
        line(indentation, "\(name):")
        text += below.text
    }

    private mutating func value(_ node: DocumentNode, _ type: SchemaType, name: String, indentation: Int) {
        switch (type.fitting(node), node.content) {
        case (.object(let below), .map):
            section(node, below, name: name, indentation: indentation)
        case (.dictionary(_, let element, _), .map(let entries)) where !entries.isEmpty:
            line(indentation, "\(name):")
            for entry in entries {
                let isTenant = indentation == 0 && name == Schema.root.tenants.name
                if isTenant { origins?.tenant = entry.key }
                value(entry.value, element, name: quoted(entry.key), indentation: indentation + 1)
                if isTenant { origins?.tenant = nil }
            }
        case (.list(let element, _, _), .list(let items)) where !items.isEmpty:
            line(indentation, "\(name):\(origins?.comment(node) ?? "")")
            for item in items { self.item(item, element, indentation: indentation + 1) }
        case (let fitting, _):
            line(indentation, "\(name): \(flow(node, fitting))\(origins?.comment(node) ?? "")")
        }
    }

    private mutating func item(_ node: DocumentNode, _ type: SchemaType, indentation: Int) {
        guard case .object(let object) = type.fitting(node) else {
            return line(indentation, "- \(flow(node, type))")
        }
        var below = part
        // The whole list has one origin, which is behind its key.
        below.origins = nil
        below.object(node, object, indentation: indentation + 1)
        let margin = String(repeating: "  ", count: indentation)
        text += margin + "- " + below.text.dropFirst(margin.count + 2)
    }

    /// A value on one line.
    func flow(_ node: DocumentNode, _ type: SchemaType) -> String {
        switch node.content {
        case .null: return "null"
        case .unresolved: return quoted(Secret.redaction)
        case .list(let items):
            return "[\(items.map { flow($0, .anything) }.joined(separator: ", "))]"
        case .map(let entries):
            return "{ \(entries.map { "\(quoted($0.key)): \(flow($0.value, .anything))" }.joined(separator: ", ")) }"
        case .scalar(let scalar):
            switch type.fitting(node) {
            case .secret: return quoted(scalar.text.isEmpty ? "" : Secret.redaction)
            case .url: return quoted(withoutSecrets(scalar.text))
            case .boolean, .integer, .decimal, .duration, .size, .rate: return scalar.text
            case .text, .path, .choice, .list, .object, .partial, .dictionary, .either, .anything:
                return scalar.isPlain && isPlainText(scalar.text) ? scalar.text : quoted(scalar.text)
            }
        }
    }

    /// A URL, or the path of one, without its user and password and without the values of its query, except names of files
    /// and hosts.
    private func withoutSecrets(_ url: String) -> String {
        let isPath = url.hasPrefix("/")
        guard let start = isPath ? url.startIndex : url.range(of: "://")?.upperBound else { return url }
        let address = url[start...].prefix { $0 != "?" }
        let authority = isPath ? "" : address.prefix { $0 != "/" }
        var result = url[..<start] + address
        if let at = authority.lastIndex(of: "@") {
            result = url[..<start] + Secret.redaction + address[at...]
        }
        guard address.endIndex < url.endIndex else { return String(result) }
        let query = url[address.endIndex...].dropFirst().split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            let isShown = name.hasSuffix("_file") || name == "server_name"
            return isShown || name.endIndex == part.endIndex ? String(part) : "\(name)=\(Secret.redaction)"
        }
        return result + "?" + query.joined(separator: "&")
    }

    private mutating func line(_ indentation: Int, _ content: String) {
        text += String(repeating: "  ", count: indentation) + content + "\n"
    }

    /// Whether YAML reads the text as itself without quotes, inside brackets too.
    private func isPlainText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isLetterDigit(or: "_./-") } && text.utf8.first != UInt8(ascii: "-")
    }

    /// In double quotes, with `${` kept from being read as a variable.
    private func quoted(_ text: String) -> String {
        if !text.isEmpty, isPlainText(text), text.unicodeScalars.first.map({ $0.properties.isAlphabetic }) == true {
            return ["true", "false", "null"].contains(text.lowercased()) ? "\"\(text)\"" : text
        }
        var result = ""
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "{" where previous == "$": result = String(result.dropLast()) + "$${"
            default:
                let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
                let isBreak = scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0xfeff
                if isControl || isBreak {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
            previous = scalar
        }
        return "\"\(result)\""
    }
}

extension SchemaObject {
    /// Whether the section may be left out.
    var isWhollyOptional: Bool {
        !keys.contains(where: \.isRequired)
    }
}

extension SchemaType {
    /// The alternative of `either` that has the value's shape.
    func fitting(_ node: DocumentNode) -> SchemaType {
        guard case .either(let types) = self else { return self }
        let shaped = types.filter { $0.hasShape(of: node) }
        guard let type = shaped.first(where: { $0.isChoice(of: node) }) ?? shaped.last else { return self }
        return type.fitting(node)
    }
}
