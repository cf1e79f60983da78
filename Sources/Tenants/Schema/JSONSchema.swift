import ConfigurationText
import Verification

/// The schema as a JSON Schema (draft 2020-12), for editors and other programs that read YAML.
///
/// It describes the text of tenants.yaml before the environment is filled in, so any single value may also be a text with
/// a `${NAME}`. It refuses nothing that the reader accepts: it does not check the bounds of durations and of sizes with a
/// unit, nor what several keys mean together; `gatehouse check` does.
public enum JSONSchema {
    /// Its `$id`: a name and not an address, since the schema is printed by the program that it belongs to.
    public static let identifier = "urn:gatehouse:tenants.yaml:1"

    /// The schema as JSON text with a line for each member.
    public static func text() -> String {
        IndentedJSON.text(of: .object(document)) + "\n"
    }

    static var document: JSONObject {
        var document: JSONObject = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": .string(identifier),
        ]
        for member in schema(of: .object(Schema.root.object), title: "tenants.yaml").members {
            document[member.name] = member.value
        }
        var shared = definitions
        shared["template"] = .object(map(Schema.tenant.object, title: "templates.NAME", isPart: true))
        document["$defs"] = .object(shared)
        return document
    }

    /// Types that many keys have.
    private static let definitions: JSONObject = [
        "environment": [
            "description": "A value from the environment: ${NAME} or ${NAME:-default}.",
            "type": "string", "pattern": #"\$\{"#,
        ],
        // A reader of YAML takes a text without quotes for a number or a boolean if it looks like one.
        "text": ["type": ["string", "number", "boolean"], "minLength": 1],
        "secret": ["type": ["string", "number", "boolean"]],
        "duration": [
            "description": "A whole number and one unit: 500ms, 30s, 5m, 24h, 7d.",
            "type": "string", "pattern": #"^[0-9]+(ms|s|m|h|d)$|\$\{"#,
        ],
        "sizeWithUnit": [
            "description": "A whole number and one unit: 512B, 64KiB, 10MiB, 1GiB.",
            "type": "string", "pattern": #"^[0-9]+(B|KiB|MiB|GiB)?$|\$\{"#,
        ],
        "rateOfBytes": [
            "description": "A size a second: 512B/s, 1KiB/s, 1MiB/s.",
            "type": "string", "pattern": #"^[0-9]+(B|KiB|MiB|GiB)/s$|\$\{"#,
        ],
    ]

    /// - Parameter title: The value's path in the file.
    /// - Parameter isPart: Whether something else completes it: what is required may be left out, and what the other gives may
    ///   be taken away with null.
    private static func schema(of type: SchemaType, title: String, isPart: Bool = false) -> JSONObject {
        switch type {
        case .text, .url, .path: reference("text")
        case .secret: reference("secret")
        case .duration: reference("duration")
        case .boolean: orEnvironment(["type": "boolean"])
        case .integer(let range) where range.lowerBound == range.upperBound:
            orEnvironment(["const": .number(JSONNumber(range.lowerBound))])
        case .integer(let range): orEnvironment(whole(range))
        case .decimal(let range):
            orEnvironment(["type": "number", "minimum": number(range.lowerBound), "maximum": number(range.upperBound)])
        case .size(let range, _): ["anyOf": [.object(whole(range)), .object(reference("sizeWithUnit"))]]
        case .rate: ["anyOf": [.object(["const": .number(JSONNumber(0))]), .object(reference("rateOfBytes"))]]
        case .choice(let choices): orEnvironment(["enum": .array(choices.flatMap(Self.spellings(of:)))])
        case .list(let element, let minimum, let maximum):
            list(of: schema(of: element, title: title + "[]"), minimum, maximum)
        case .object(let object) where !isPart && object.key(Schema.tenant.extends.name) != nil:
            extending(object, title: title)
        case .object(let object): map(object, title: title, isPart: isPart)
        case .partial: ["$ref": "#/$defs/template", "not": ["required": [.string(Schema.tenant.hosts.name)]]]
        case .dictionary(let key, let element, let minimum):
            dictionary(of: schema(of: element, title: "\(title).\(key)", isPart: isPart), minimum, title: title)
        case .either(let types):
            ["anyOf": .array(types.map { .object(schema(of: $0, title: title, isPart: isPart)) })]
        case .anything: [:]
        }
    }

    /// A tenant: what it extends completes it.
    /// A choice as text; one of digits may also be written without quotes, which makes it a number.
    private static func spellings(of choice: String) -> [JSONValue] {
        [.string(choice)] + (Int(choice).map { [.number(JSONNumber($0))] } ?? [])
    }

    private static func extending(_ object: SchemaObject, title: String) -> JSONObject {
        [
            "if": ["required": [.string(Schema.tenant.extends.name)]],
            "then": ["$ref": "#/$defs/template", "required": [.string(Schema.tenant.hosts.name)]],
            "else": .object(map(object, title: title, isPart: false)),
        ]
    }

    private static func map(_ object: SchemaObject, title: String, isPart: Bool) -> JSONObject {
        var properties = JSONObject()
        for key in object.keys {
            let path = title == "tenants.yaml" ? key.name : "\(title).\(key.name)"
            let property = property(key, title: path, isPart: isPart)
            properties[key.name] = .object(isPart ? orNull(property) : property)
        }
        let required = isPart ? [] : object.keys.filter(\.isRequired)
        let always = required.filter(\.alternatives.isEmpty).map { JSONValue.string($0.name) }
        var map: JSONObject = ["title": .string(title), "type": "object", "properties": .object(properties)]
        if !always.isEmpty { map["required"] = .array(always) }
        for key in required where !key.alternatives.isEmpty {
            map["anyOf"] = .array(([key.name] + key.alternatives).map { ["required": [.string($0)]] })
        }
        map["additionalProperties"] = false
        return map
    }

    /// The meaning, default, example and type of a key.
    private static func property(_ key: SchemaKey, title: String, isPart: Bool) -> JSONObject {
        var property: JSONObject = ["description": .string(key.meaning)]
        if let text = key.default, let value = value(of: text, key.type) {
            property["default"] = value
        }
        if let value = value(of: key.example, key.type) { property["examples"] = [value] }
        for member in schema(of: key.type, title: title, isPart: isPart).members {
            property[member.name] = member.value
        }
        return property
    }

    private static func orNull(_ schema: JSONObject) -> JSONObject {
        ["anyOf": [.object(schema), ["type": "null"]]]
    }

    private static func list(of element: JSONObject, _ minimum: Int, _ maximum: Int) -> JSONObject {
        var list: JSONObject = ["type": "array", "items": .object(element)]
        if minimum > 0 { list["minItems"] = .number(JSONNumber(minimum)) }
        list["maxItems"] = .number(JSONNumber(maximum))
        return list
    }

    private static func dictionary(of element: JSONObject, _ minimum: Int, title: String) -> JSONObject {
        var dictionary: JSONObject = ["title": .string(title), "type": "object"]
        if minimum > 0 { dictionary["minProperties"] = .number(JSONNumber(minimum)) }
        dictionary["additionalProperties"] = .object(element)
        return dictionary
    }

    private static func reference(_ name: String) -> JSONObject {
        ["$ref": .string("#/$defs/\(name)")]
    }

    private static func orEnvironment(_ schema: JSONObject) -> JSONObject {
        ["anyOf": [.object(schema), .object(reference("environment"))]]
    }

    private static func whole(_ range: ClosedRange<Int>) -> JSONObject {
        [
            "type": "integer", "minimum": .number(JSONNumber(range.lowerBound)),
            "maximum": .number(JSONNumber(range.upperBound)),
        ]
    }

    private static func number(_ value: Double) -> JSONValue {
        JSONNumber(value).map(JSONValue.number) ?? .null
    }
}

// MARK: - Defaults and examples

extension JSONSchema {
    /// The variables of the examples of secrets stand for themselves.
    private static let exampleEnvironment = Dictionary(
        uniqueKeysWithValues: ["SECRET", "ISSUER_KEY", "APPLE_KEY"].map { ($0, "${\($0)}") }
    )

    /// A default or an example in YAML, as JSON.
    static func value(of yaml: String, _ type: SchemaType) -> JSONValue? {
        let findings = Findings(file: "")
        guard let node = YAMLDocument.read(yaml, environment: exampleEnvironment, into: findings), !findings.hasErrors
        else {
            return nil
        }
        return value(of: node, type)
    }

    private static func value(of node: DocumentNode, _ type: SchemaType) -> JSONValue? {
        switch (type.fitting(node), node.content) {
        case (.boolean, .scalar(let scalar)): (try? ScalarText.boolean(scalar)).map(JSONValue.bool)
        case (.integer, .scalar(let scalar)): (try? ScalarText.integer(scalar)).map { .number(JSONNumber($0)) }
        case (.decimal, .scalar(let scalar)): (try? ScalarText.decimal(scalar)).map(number)
        case (_, .scalar(let scalar)): .string(scalar.text)
        case (.list(let element, _, _), .list(let items)): .array(items.compactMap { value(of: $0, element) })
        case (.dictionary(_, let element, _), .map(let entries)):
            .object(members(entries) { value(of: $0.value, element) })
        case (.object(let object), .map(let entries)), (.partial(let object), .map(let entries)):
            .object(members(entries) { entry in object.key(entry.key).flatMap { value(of: entry.value, $0.type) } })
        default: nil
        }
    }

    private static func members(
        _ entries: [DocumentNode.Entry],
        _ value: (DocumentNode.Entry) -> JSONValue?
    ) -> JSONObject {
        var object = JSONObject()
        for entry in entries { object[entry.key] = value(entry) }
        return object
    }
}
