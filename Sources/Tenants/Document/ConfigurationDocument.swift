/// The texts that a configuration was read from, kept to say what another one changes. No description, dump or mirror
/// shows them.
public struct ConfigurationDocument: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let texts: [SourceText]
    let environment: [String: String]

    /// - Parameters:
    ///   - texts: tenants.yaml first.
    ///   - environment: For `${NAME}`.
    init(texts: [SourceText], environment: [String: String]) {
        self.texts = texts
        self.environment = environment
    }

    public var description: String { "the text of a configuration" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The text of one source.
struct SourceText: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// tenants.yaml.
        case main
        case included
        /// A map of one tenant's keys.
        case tenant(name: String)
    }

    var source: DocumentSource
    var kind: Kind
    var text: String
}
