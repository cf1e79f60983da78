/// The type of a value of tenants.yaml, as plain data: files are checked against it, and references are printed from it.
indirect enum SchemaType: Sendable {
    case text(example: String)
    /// Text that is never shown.
    case secret
    /// Text with a scheme; its user and password are not shown.
    case url(example: String)
    /// A file or directory, relative to the directory of tenants.yaml.
    case path(example: String)
    case boolean
    case integer(ClosedRange<Int>)
    case decimal(ClosedRange<Double>)
    case duration(ClosedRange<Duration>, example: String)
    /// In bytes.
    case size(ClosedRange<Int>, example: String)
    /// In bytes a second; 0 for none.
    case rate(ClosedRange<Int>, example: String)
    /// One of these texts.
    case choice([String])
    case list(SchemaType, minimum: Int = 0, maximum: Int = 10_000)
    case object(SchemaObject)
    /// A map whose required keys may be given elsewhere, as those of a template are.
    case partial(SchemaObject)
    /// A map with keys of the user's choice, called `key` in references.
    case dictionary(key: String, SchemaType, minimum: Int = 0)
    /// The first whose shape (scalar, list or map) the value has.
    case either([SchemaType])
    /// Any JSON value.
    case anything
}

/// A map with known keys.
struct SchemaObject: Sendable {
    let keys: [SchemaKey]
    let required: [SchemaKey]

    init(keys: [SchemaKey]) {
        self.keys = keys
        required = keys.filter(\.isRequired)
    }

    func key(_ name: String) -> SchemaKey? {
        // A loop that copies no key but the one that is wanted.
        for index in keys.indices where keys[index].name == name { return keys[index] }
        return nil
    }
}

/// One key of a map, for references, the check and the printer; readers use ``Key``.
struct SchemaKey: Sendable {
    var name: String
    var type: SchemaType
    var isRequired = false
    /// Whether the key means something by being there, even with its default or with no key in it: it is not written out
    /// where it is not given.
    var isOnlyIfGiven = false
    /// Keys beside it, of which one may stand in its place if it is required.
    var alternatives: [String] = []
    /// In YAML; nil if there is none.
    var `default`: String?
    /// One line for references.
    var meaning = ""
    /// nil if the type says enough.
    var declaredExample: String?

    /// A value in YAML, on one line, other than the default.
    var example: String { declaredExample ?? type.example(besides: `default`) }
}
