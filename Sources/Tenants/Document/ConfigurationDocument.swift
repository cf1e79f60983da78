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

    /// Without the further tenants that are the same in another document, if the files are too: what these say then is the
    /// same.
    func without(_ other: ConfigurationDocument) -> ConfigurationDocument {
        guard environment == other.environment, files == other.files else { return self }
        let known = Dictionary(other.texts.map { ($0.source, $0) }) { first, _ in first }
        return ConfigurationDocument(
            texts: texts.filter { !$0.kind.isTenant || known[$0.source] != $0 },
            environment: environment
        )
    }

    private var files: [SourceText] { texts.filter { !$0.kind.isTenant } }

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

        var isTenant: Bool {
            if case .tenant = self { true } else { false }
        }
    }

    var source: DocumentSource
    var kind: Kind
    var text: String
}
