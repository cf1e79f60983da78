import ConfigurationText

/// What all sources of a configuration say together, before it is read.
struct ComposedDocument: Sendable {
    /// One tenant over what it extends.
    struct ComposedTenant: Sendable {
        var entry: DocumentNode.Entry
        /// Where the tenant itself stands.
        var text: SourceText
        var writer: TenantWriter
        /// Whether it lacks what it extends, which was reported.
        var isIncomplete: Bool
        /// Whether it extends a template.
        var isExtending: Bool
        /// Whether a mistake in it leaves the rest usable.
        var leavesRest: Bool
        /// As it was read before; its entry has no value then.
        var known: KnownTenants.Known?
        /// Values that it repeats, see ``RepetitionBudget``.
        var repeated: Int

        var source: DocumentSource { text.source }
    }

    /// That of tenants.yaml as it is written.
    var main: DocumentNode
    /// Those of the included files as they are written.
    var included: [DocumentNode]
    /// Each over what it extends.
    var templates: [DocumentNode.Entry]
    /// In the order of the files, tenants.yaml first; then those that are in no file.
    var tenants: [ComposedTenant]
    var origins: DocumentOrigins
    var texts: [SourceText]

    /// The root of one file that says the same.
    ///
    /// - Parameter isWanted: Of the tenants, by their place.
    func root(where isWanted: (Int) -> Bool = { _ in true }) -> DocumentNode {
        let parts = [Schema.root.include.name, Schema.root.templates.name, Schema.root.tenants.name]
        var entries = main.entries.filter { !parts.contains($0.key) }
        let written = main.entry(Schema.root.tenants)
        entries.append(
            DocumentNode.Entry(
                key: Schema.root.tenants.name,
                keyPosition: written?.keyPosition ?? main.position,
                value: DocumentNode(
                    position: written?.value.position ?? main.position,
                    content: .map(tenants.indices.filter(isWanted).map { tenants[$0].entry })
                )
            )
        )
        return DocumentNode(position: main.position, content: .map(entries))
    }
}
