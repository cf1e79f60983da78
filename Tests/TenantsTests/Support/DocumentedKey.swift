import TestSupport
import Testing
import Verification

@testable import Tenants

/// A key of the reference, and where it is in a file.
struct DocumentedKey: Sendable, CustomTestStringConvertible {
    /// As the headings of the reference have it: `tenants.NAME.access[].path`.
    var path: String
    var schema: SchemaKey

    var testDescription: String { path }

    static let all = keys(of: Schema.root.object, path: "")

    private static func keys(of object: SchemaObject, path: String) -> [DocumentedKey] {
        object.keys.flatMap { key in
            let place = path.isEmpty ? key.name : "\(path).\(key.name)"
            return [DocumentedKey(path: place, schema: key)] + below(key.type, path: place)
        }
    }

    private static func below(_ type: SchemaType, path: String) -> [DocumentedKey] {
        switch type {
        case .object(let object): keys(of: object, path: path)
        case .list(let element, _, _): below(element, path: path + "[]")
        case .dictionary(let key, let element, _): below(element, path: "\(path).\(key)")
        case .either(let types): types.flatMap { below($0, path: path) }
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice, .partial,
            .anything:
            []
        }
    }
}

extension DocumentedKey {
    /// For the files of keys. The sample issuer's algorithm is RS256.
    static let environment = [
        "SECRET": String(repeating: "s", count: 64), "ISSUER_KEY": SamplePrivateKeys.rsa,
        "APPLE_KEY": (try? SigningKey.generate(.p256).privateKeyPEM) ?? "",
    ]

    /// A small tenants.yaml with the key's example: each section around it has its own example. nil if one of the examples
    /// is no value of its type.
    var file: String? {
        guard let tenants = Self.example(of: "tenants") else { return nil }
        var root: JSONValue = .object(["version": 1, "tenants": tenants])
        for ancestor in ancestors {
            guard let example = Self.example(of: ancestor.path) else { return nil }
            root.put(example, at: ancestor.steps, replaces: false)
        }
        for (path, yaml) in (ancestors + [self]).flatMap({ Self.companions[$0.path] ?? [:] }) {
            guard let yaml else {
                root.put(nil, at: Self.steps(path), replaces: true)
                continue
            }
            guard let key = Self.all.first(where: { $0.path == path }),
                let value = JSONSchema.value(of: yaml, key.schema.type)
            else { return nil }
            root.put(value, at: key.steps, replaces: true)
        }
        // The example itself stays as the reference has it. YAML reads JSON.
        root.put(.string(Self.mark), at: steps, replaces: true)
        return JSONWriter.text(of: root).replacing("\"\(Self.mark)\"", with: schema.example)
            // A key of the user's choice, but one of those that there are.
            .replacing("\"CODE\"", with: "\"token_expired\"")
    }

    private static let mark = "EXAMPLE"

    private var steps: [Substring] { Self.steps(path) }

    private static func steps(_ path: String) -> [Substring] {
        path.replacing("[]", with: ".[]").split(separator: ".")
    }

    /// The sections around it, the outermost first.
    private var ancestors: [DocumentedKey] {
        Self.all.filter { $0.path != path && (path.hasPrefix("\($0.path).") || path.hasPrefix("\($0.path)[]")) }
    }

    private static func example(of path: String) -> JSONValue? {
        all.first { $0.path == path }.flatMap { JSONSchema.value(of: $0.schema.example, $0.schema.type) }
    }
}

extension JSONValue {
    /// Puts a value at a place below; `[]` is the first item of a list, and an item that is a single value becomes a map.
    fileprivate mutating func put(_ value: JSONValue?, at steps: some Collection<Substring>, replaces: Bool) {
        guard let step = steps.first else {
            self = value ?? .null
            return
        }
        if step == "[]" {
            var item = array?.first ?? .object([:])
            if item.object == nil { item = .object([:]) }
            item.put(value, at: steps.dropFirst(), replaces: replaces)
            self = .array([item])
            return
        }
        var members = object ?? [:]
        let name = String(step)
        if steps.count == 1 {
            if replaces || members[name] == nil { members[name] = value }
        } else {
            var below = members[name] ?? .object([:])
            below.put(value, at: steps.dropFirst(), replaces: replaces)
            members[name] = below
        }
        self = .object(members)
    }
}
