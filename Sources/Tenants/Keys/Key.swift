import ConfigurationText

/// One key of tenants.yaml: its name, what its value may be, and its default.
///
/// The readers, the check of a file, the JSON Schema, the reference and `check --print` all use this one declaration.
/// `Value` is what readers get: an optional if there is no default.
struct Key<Value: Sendable>: Sendable {
    private(set) var schema: SchemaKey
    let `default`: Value
    /// The default as if it were in the file, if it is given in YAML.
    private var writtenDefault: DocumentNode?
    private let value: @Sendable (DocumentNode) -> Value?

    var name: String { schema.name }

    init(_ name: String, _ type: KeyType<Value>, default value: Value) {
        let text = type.text(value)
        self.schema = SchemaKey(name: name, type: type.schema.exampled(by: text), default: text)
        self.default = value
        self.value = type.value
    }

    init<Given>(_ name: String, _ type: KeyType<Given>, isRequired: Bool = false) where Value == Given? {
        self.schema = SchemaKey(name: name, type: type.schema, isRequired: isRequired)
        self.default = nil
        self.value = { .some(type.value($0)) }
    }

    /// - Parameter yaml: The default as tenants.yaml would write it; readers read it like a value of the file.
    init<Given>(_ name: String, _ type: KeyType<Given>, yaml: String) where Value == Given? {
        writtenDefault = YAMLDocument.default(yaml)
        let value = writtenDefault.flatMap(type.value)
        assert(value != nil, "the default of \"\(name)\" is none of its values")
        self.schema = SchemaKey(name: name, type: type.schema.exampled(by: yaml), default: yaml)
        self.default = value
        self.value = { .some(type.value($0)) }
    }

    /// The same key, required only if none of these keys is beside it.
    func unless(_ alternatives: String...) -> Key {
        var key = self
        key.schema.alternatives = alternatives
        return key
    }

    /// The same key, which means something by being there, even with its default or with no key in it.
    func onlyIfGiven() -> Key {
        var key = self
        key.schema.isOnlyIfGiven = true
        return key
    }

    /// The same key with its line in the reference.
    ///
    /// - Parameter example: A value in YAML, on one line, other than the default; nil: the type's.
    func means(_ meaning: String, example: String? = nil) -> Key {
        var key = self
        key.schema.meaning = meaning
        key.schema.declaredExample = example
        return key
    }

    /// Converts a value of the file; the default if it has the wrong type, which the schema's check has reported.
    func read(_ node: DocumentNode?) -> Value {
        node.flatMap(value) ?? self.default
    }

    /// The default as if it were in the file.
    var defaultNode: DocumentNode? {
        writtenDefault ?? schema.default.flatMap(YAMLDocument.default)
    }
}

extension YAMLDocument {
    /// Parses a default.
    fileprivate static func `default`(_ yaml: String) -> DocumentNode? {
        read(yaml, environment: [:], into: Findings(file: ""))
    }
}

extension DocumentNode {
    subscript<Value>(key: Key<Value>) -> DocumentNode? { self[named: key.name] }

    func entry<Value>(_ key: Key<Value>) -> Entry? { entry(named: key.name) }

    /// The value of the key or its default.
    func read<Value>(_ key: Key<Value>) -> Value { key.read(self[key]) }

    /// The value of the key, or its default as if it were in the file.
    func given<Value>(_ key: Key<Value>) -> DocumentNode? { self[key] ?? key.defaultNode }
}

extension DocumentNode? {
    /// The value of the key or its default, for a section that may be left out.
    func read<Value>(_ key: Key<Value>) -> Value { key.read(self?[key]) }
}
