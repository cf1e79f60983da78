/// What a value of tenants.yaml may be. Plain data: the reader checks against it, and references are printed from it.
indirect enum SchemaType: Sendable {
    case text(example: String)
    /// Text that is never shown.
    case secret
    /// Text with a scheme, shown without the user and password that it may hold.
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
    /// One of these words.
    case choice([String])
    case list(SchemaType, minimum: Int = 0, maximum: Int = 10_000)
    case object(SchemaObject)
    /// A map whose keys are the user's, called `key` in references.
    case dictionary(key: String, SchemaType, minimum: Int = 0)
    /// The first whose shape (scalar, list or map) the value has.
    case either([SchemaType])
    /// Any JSON value.
    case anything
}

/// A map with known keys.
struct SchemaObject: Sendable {
    var keys: [SchemaKey]

    func key(_ name: String) -> SchemaKey? {
        keys.first { $0.name == name }
    }
}

/// One key of a map, as references, the check and the printer see it; readers have ``Key``.
struct SchemaKey: Sendable {
    var name: String
    var type: SchemaType
    var isRequired = false
    /// As it would be written, in YAML; nil: nothing is done without the key.
    var standard: String?
    /// One line for references.
    var meaning = ""
}
