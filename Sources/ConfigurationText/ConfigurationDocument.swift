/// The texts that a configuration was read from, kept to say what another one changes. No description, dump or mirror
/// shows them.
public struct ConfigurationDocument: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let texts: [SourceText]
    package let environment: [String: String]

    /// - Parameters:
    ///   - texts: tenants.yaml first.
    ///   - environment: For `${NAME}`.
    package init(texts: [SourceText], environment: [String: String]) {
        self.texts = texts
        self.environment = environment
    }

    /// Two documents without the further tenants that are the same in both, if the files are the same: what these say then
    /// is the same.
    package static func differences(_ old: ConfigurationDocument, _ new: ConfigurationDocument) -> Differences {
        guard old.environment == new.environment, old.files == new.files else { return Differences(old: old, new: new) }
        // Files come first, and few tenants differ.
        let start = zip(old.texts, new.texts).prefix { $0 == $1 }.count
        let end = zip(old.texts[start...].reversed(), new.texts[start...].reversed()).prefix { $0 == $1 }.count
        let before = old.texts[start..<(old.texts.count - end)]
        let after = new.texts[start..<(new.texts.count - end)]
        return Differences(
            old: old.files(and: before, differentFrom: after),
            new: new.files(and: after, differentFrom: before)
        )
    }

    package struct Differences {
        package var old: ConfigurationDocument
        package var new: ConfigurationDocument
    }

    private func files(
        and tenants: ArraySlice<SourceText>,
        differentFrom others: ArraySlice<SourceText>
    ) -> ConfigurationDocument {
        let places = Dictionary(others.indices.map { (others[$0].source, $0) }) { first, _ in first }
        let different = tenants.filter { tenant in places[tenant.source].map { others[$0] != tenant } ?? true }
        return ConfigurationDocument(texts: files + different, environment: environment)
    }

    private var files: [SourceText] { Array(texts.prefix { !$0.kind.isTenant }) }

    public var description: String { "the text of a configuration" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The text of one source.
package struct SourceText: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// tenants.yaml.
        case main
        case included
        /// A map of one tenant's keys.
        case tenant(name: String)

        package var isTenant: Bool {
            if case .tenant = self { true } else { false }
        }
    }

    package var source: DocumentSource
    package var kind: Kind
    package var text: String

    package init(source: DocumentSource, kind: Kind, text: String) {
        self.source = source
        self.kind = kind
        self.text = text
    }
}
