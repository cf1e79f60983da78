/// The text that a configuration was read from, kept to say what another one changes. No description, dump or mirror
/// shows it.
public struct ConfigurationDocument: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String
    private let environment: [String: String]

    /// - Parameter environment: For `${NAME}`.
    init(text: String, environment: [String: String]) {
        self.text = text
        self.environment = environment
    }

    /// Its values, read anew: a tree of them takes many times the memory of the text. Nil if it is no YAML.
    var root: DocumentNode? { YAMLDocument.read(text, environment: environment, into: Findings(file: "")) }

    public var description: String { "the text of a configuration" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
