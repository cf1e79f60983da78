import ConfigurationText

/// The type of a key's value, and its conversion for readers.
struct KeyType<Value: Sendable>: Sendable {
    let schema: SchemaType
    /// nil for a value of another type. Bounds are not checked here: the schema's check reports what is beyond them.
    let value: @Sendable (DocumentNode) -> Value?
    /// A value as tenants.yaml writes it.
    let text: @Sendable (Value) -> String

    init(
        _ schema: SchemaType,
        text: @escaping @Sendable (Value) -> String,
        value: @escaping @Sendable (DocumentNode) -> Value?
    ) {
        self.schema = schema
        self.value = value
        self.text = text
    }
}

// A type without an example has its key's default as the example.

extension KeyType where Value == String {
    static func text(example: String = "") -> Self { plain(.text(example: example)) }
    static func url(example: String = "") -> Self {
        // A text without a host is quoted, as in the documents.
        KeyType(.url(example: example), text: { $0.contains("://") ? $0 : "\"\($0)\"" }) { $0.scalar?.text }
    }
    static func path(example: String) -> Self { plain(.path(example: example)) }
    static var secret: Self { plain(.secret) }
    static func oneOf(_ choices: [String]) -> Self { plain(.choice(choices)) }

    private static func plain(_ schema: SchemaType) -> Self {
        KeyType(schema, text: \.self) { $0.scalar?.text }
    }
}

extension KeyType where Value == Bool {
    static var boolean: Self {
        KeyType(.boolean, text: \.description) { $0.scalar.flatMap { try? ScalarText.boolean($0) } }
    }
}

extension KeyType where Value == Double {
    static func decimal(_ range: ClosedRange<Double>) -> Self {
        KeyType(.decimal(range), text: \.description) { $0.scalar.flatMap { try? ScalarText.decimal($0) } }
    }
}

extension KeyType where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        KeyType(.integer(range), text: \.description) { $0.scalar.flatMap { try? ScalarText.integer($0) } }
    }

    /// In bytes.
    static func size(_ range: ClosedRange<Int>, example: String = "") -> Self {
        KeyType(.size(range, example: example), text: ScalarText.size) { node in
            node.scalar.flatMap { try? ScalarText.size($0.text) }
        }
    }

    /// In bytes a second; 0 for none.
    static func rate(_ range: ClosedRange<Int>, example: String = "") -> Self {
        KeyType(.rate(range, example: example), text: { ScalarText.size($0) + "/s" }) { node in
            node.scalar.flatMap { try? ScalarText.rate($0.text) }
        }
    }
}

extension KeyType where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>, example: String = "") -> Self {
        // A minute is written in seconds, as the timeouts beside it are.
        KeyType(.duration(range, example: example), text: { $0 == .seconds(60) ? "60s" : $0.shown }) { node in
            node.scalar.flatMap { try? ScalarText.duration($0.text) }
        }
    }
}

extension KeyType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static func choice(_: Value.Type) -> Self { choice(of: Array(Value.allCases)) }

    static func choice(of values: [Value]) -> Self {
        KeyType(.choice(values.map(\.rawValue)), text: \.rawValue) { node in
            node.scalar.flatMap { Value(rawValue: $0.text) }
        }
    }
}

extension KeyType {
    /// Items of another type than `element` are left out.
    static func list<Element>(_ element: KeyType<Element>, minimum: Int = 0, maximum: Int = 10_000) -> Self
    where Value == [Element] {
        KeyType(
            .list(element.schema, minimum: minimum, maximum: maximum),
            text: { "[\($0.map(element.text).joined(separator: ", "))]" },
            value: { node in
                guard case .list(let items) = node.content else { return nil }
                return items.compactMap(element.value)
            }
        )
    }
}

/// For values with a reader of their own.
extension KeyType where Value == DocumentNode {
    static var anything: Self { node(.anything) }

    static func object(_ table: some KeyTable) -> Self { node(.object(table.object)) }

    static func partial(_ table: some KeyTable) -> Self { node(.partial(table.object)) }

    static func dictionary(key: String, _ element: KeyType<some Sendable>, minimum: Int = 0) -> Self {
        node(.dictionary(key: key, element.schema, minimum: minimum))
    }

    static func either(_ first: KeyType<some Sendable>, _ second: KeyType<some Sendable>) -> Self {
        node(.either([first.schema, second.schema]))
    }

    private static func node(_ schema: SchemaType) -> Self {
        KeyType(schema, text: \.shown) { $0 }
    }
}
