/// One key of tenants.yaml: its name, what its value may be, and its default.
///
/// The one declaration is what readers read through, what a file is checked against, and what the JSON Schema, the
/// reference and `check --print` are made from. `Value` is what readers get: an optional where there is no default.
struct Key<Value: Sendable>: Sendable {
    private(set) var schema: SchemaKey
    /// Without the key; nil where nothing is done then.
    let standard: Value
    private let value: @Sendable (DocumentNode) -> Value?

    var name: String { schema.name }

    init(_ name: String, _ type: KeyType<Value>, default standard: Value) {
        let text = type.text(standard)
        self.schema = SchemaKey(name: name, type: type.schema.exampled(by: text), standard: text)
        self.standard = standard
        self.value = type.value
    }

    init<Given>(_ name: String, _ type: KeyType<Given>, isRequired: Bool = false) where Value == Given? {
        self.schema = SchemaKey(name: name, type: type.schema, isRequired: isRequired)
        self.standard = nil
        self.value = { .some(type.value($0)) }
    }

    /// - Parameter yaml: The default as it would be written: readers find it as if it were in the file.
    init<Given>(_ name: String, _ type: KeyType<Given>, yaml: String) where Value == Given? {
        let standard = YAMLDocument.standard(yaml).flatMap(type.value)
        assert(standard != nil, "the default of \"\(name)\" is none of its values")
        self.schema = SchemaKey(name: name, type: type.schema.exampled(by: yaml), standard: yaml)
        self.standard = standard
        self.value = { .some(type.value($0)) }
    }

    /// The same key with the line that references have of it.
    func means(_ meaning: String) -> Key {
        var key = self
        key.schema.meaning = meaning
        return key
    }

    /// What a value of the file is; the default where it is no value of the key, which the check has reported.
    func read(_ node: DocumentNode?) -> Value {
        node.flatMap(value) ?? standard
    }

    /// The default as if it were in the file.
    var standardNode: DocumentNode? {
        schema.standard.flatMap(YAMLDocument.standard)
    }
}

extension YAMLDocument {
    /// A default as a value of the file.
    fileprivate static func standard(_ yaml: String) -> DocumentNode? {
        var findings = Findings(file: "")
        return read(yaml, environment: [:], into: &findings)
    }
}

extension DocumentNode {
    subscript<Value>(key: Key<Value>) -> DocumentNode? { self[named: key.name] }

    func entry<Value>(_ key: Key<Value>) -> Entry? { entry(named: key.name) }

    /// The value of the key or its default.
    func read<Value>(_ key: Key<Value>) -> Value { key.read(self[key]) }

    /// The value of the key, or its default as if it were in the file.
    func given<Value>(_ key: Key<Value>) -> DocumentNode? { self[key] ?? key.standardNode }
}

extension DocumentNode? {
    /// The value of the key or its default, for a section that may be left out.
    func read<Value>(_ key: Key<Value>) -> Value { key.read(self?[key]) }
}
