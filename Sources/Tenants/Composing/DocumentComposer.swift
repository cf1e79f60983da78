import ConfigurationText

/// Puts tenants.yaml, the files that it includes and further tenants together, each tenant over the template that it
/// extends.
struct DocumentComposer {
    private struct Part {
        var text: SourceText
        var root: DocumentNode
        /// Whether a mistake in it leaves the rest usable.
        var leavesRest = false
        var known: KnownTenants.Known?
        var writer = TenantWriter.all
        /// Values that it repeats, see ``RepetitionBudget``.
        var repeated = 0
    }

    private struct WrittenTenant {
        var entry: DocumentNode.Entry
        var text: SourceText
        var writer = TenantWriter.all
        var leavesRest = false
        var known: KnownTenants.Known?
        var repeated = 0
    }

    private let findings: Findings
    private let environment: [String: String]
    private let budget = RepetitionBudget()
    private var parts: [Part] = []
    private var origins = DocumentOrigins()
    private var tenants: [WrittenTenant] = []
    private var places: [String: Position] = [:]
    /// The texts so far.
    var texts: [SourceText] { parts.map(\.text) }
    /// Whether a file cannot be read, which was reported; it may have the templates that others lack.
    var lacksFile = false

    init(findings: Findings, environment: [String: String]) {
        self.findings = findings
        self.environment = environment
    }

    /// What a configuration says; nil if it is no YAML.
    static func root(of document: ConfigurationDocument) -> DocumentNode? {
        var composer = DocumentComposer(findings: Findings(file: ""), environment: document.environment)
        for text in document.texts { composer.add(text) }
        return composer.compose()?.root()
    }

    /// Parses a text and keeps what it says.
    ///
    /// - Parameters:
    ///   - leavesRest: Whether a mistake in it leaves the rest usable.
    ///   - writer: Of a stored tenant.
    /// - Returns: Its root; nil if it has none.
    @discardableResult
    mutating func add(
        _ text: SourceText,
        leavesRest: Bool = false,
        writer: TenantWriter = .all
    ) -> DocumentNode? {
        let before = budget.left
        let content = report(text, leavesRest: leavesRest) {
            YAMLDocument.read(text.text, of: text.source, environment: environment, budget: budget, into: findings)
        }
        switch (content, text.kind) {
        case (.root(let root), _):
            parts.append(
                Part(
                    text: text,
                    root: root,
                    leavesRest: leavesRest,
                    writer: writer,
                    repeated: before - budget.left
                )
            )
            return root
        case (.unreadable, .main), (.unreadable, .included): lacksFile = true
        case (.unreadable, .tenant): break
        case (.empty, .main):
            findings.error(.start, "the file is empty: it needs at least \"version\" and \"tenants\"")
        case (.empty, .included):
            findings.warning(
                .start(of: text.source),
                "the file is empty: add \"tenants\" or \"templates\", or delete it"
            )
        case (.empty, .tenant):
            report(text, leavesRest: leavesRest) {
                findings.error(.start(of: text.source), "the tenant is empty: give it its keys, or delete it")
            }
        }
        return nil
    }

    /// Parses tenants that are in no file.
    ///
    /// - Parameter known: Tenants that were read before, by name; they are taken over where the text is the same.
    mutating func add(_ further: FurtherTenants, known: [String: KnownTenants.Known]) {
        parts.reserveCapacity(parts.count + further.sources.count)
        findings.reserve(sources: parts.count + further.sources.count)
        origins.reserve(tenants: further.sources.count)
        places.reserveCapacity(further.sources.count)
        for tenant in further.sources {
            add(tenant, leavesRest: further.faults == .leaveOut, known: known[tenant.name])
        }
    }

    private mutating func add(_ tenant: TenantSource, leavesRest: Bool, known: KnownTenants.Known?) {
        if let known, known.isSame(as: tenant), budget.take(known.repeated) {
            findings.add(known.text.source)
            return parts.append(
                Part(
                    text: known.text,
                    root: .absent,
                    leavesRest: leavesRest,
                    known: known,
                    writer: tenant.writer
                )
            )
        }
        let source = DocumentSource(named: tenant.label)
        findings.add(source)
        add(
            SourceText(source: source, kind: .tenant(name: tenant.name), text: tenant.text),
            leavesRest: leavesRest,
            writer: tenant.writer
        )
    }

    /// Findings that `body` adds are about a text.
    private func report<Value>(_ text: SourceText, leavesRest: Bool, _ body: () -> Value) -> Value {
        guard case .tenant(let name) = text.kind else { return body() }
        let reading = Findings.ReadTenant(
            name: name,
            isOwn: { $0.source == text.source },
            blamed: leavesRest ? text.source : nil
        )
        return findings.reading(reading, body).value
    }

    /// - Returns: nil if tenants.yaml has no root, or if templates repeat too much, which was reported.
    mutating func compose() -> ComposedDocument? {
        guard let main = parts.first(where: { $0.text.kind == .main }) else { return nil }
        tenants.reserveCapacity(parts.count)
        for part in parts { collect(part) }
        var templates = Templates(findings: findings, budget: budget, tenants: places, isPartial: lacksFile)
        for part in parts {
            if case .tenant = part.text.kind { continue }
            for entry in part.root[Schema.root.templates]?.entries ?? [] { templates.add(entry) }
        }
        var composed = ComposedDocument(
            main: main.root,
            included: parts.filter { $0.text.kind == .included }.map(\.root),
            templates: [],
            tenants: [],
            origins: origins,
            texts: parts.map(\.text)
        )
        composed.templates = templates.all()
        if templates.isTooMuch { return nil }
        composed.tenants.reserveCapacity(tenants.count)
        for tenant in tenants {
            composed.tenants.append(lay(tenant, &templates))
            if templates.isTooMuch { return nil }
        }
        return composed
    }

    private mutating func collect(_ part: Part) {
        let source = part.text.source
        if case .tenant(let name) = part.text.kind {
            let start = Position.start(of: source)
            origins.add(tenant: name, of: source)
            if let first = places[name] {
                let place = findings.place(of: first, from: start)
                return findings.warning(
                    start,
                    "tenant \"\(name)\" is in \(place) too, which counts, and this is not used: delete one of them"
                )
            }
            let entry = DocumentNode.Entry(key: name, keyPosition: start, value: part.root)
            tenants.append(
                WrittenTenant(
                    entry: entry,
                    text: part.text,
                    writer: part.writer,
                    leavesRest: part.leavesRest,
                    known: part.known,
                    repeated: part.repeated
                )
            )
            places[name] = start
            return
        }
        origins.add(part.root, of: source)
        for entry in part.root[Schema.root.tenants]?.entries ?? [] {
            if let first = places[entry.key] {
                findings.error(
                    entry.keyPosition,
                    "tenant \"\(entry.key)\" is in \(findings.place(of: first, from: entry.keyPosition)) already: "
                        + "rename one, or leave one out"
                )
                continue
            }
            places[entry.key] = entry.keyPosition
            tenants.append(WrittenTenant(entry: entry, text: part.text))
        }
    }

    private func lay(_ tenant: WrittenTenant, _ templates: inout Templates) -> ComposedDocument.ComposedTenant {
        if let known = tenant.known {
            return ComposedDocument.ComposedTenant(
                entry: tenant.entry,
                text: tenant.text,
                writer: tenant.writer,
                isIncomplete: false,
                isExtending: false,
                leavesRest: tenant.leavesRest,
                known: known,
                repeated: known.repeated
            )
        }
        let before = budget.left
        let reading = Findings.ReadTenant(
            name: tenant.entry.key,
            isOwn: { _ in true },
            blamed: tenant.leavesRest ? tenant.text.source : nil
        )
        let resolved = findings.reading(reading) { () -> Templates.Resolved in
            if tenant.writer != .all { templates.checkGuarded(extendedBy: tenant.entry.value) }
            return templates.resolve(tenant: tenant.entry.value)
        }.value
        var entry = tenant.entry
        let isExtending = entry.value.entry(Schema.tenant.extends) != nil
        entry.value = resolved.node
        return ComposedDocument.ComposedTenant(
            entry: entry,
            text: tenant.text,
            writer: tenant.writer,
            isIncomplete: resolved.isIncomplete,
            isExtending: isExtending,
            leavesRest: tenant.leavesRest,
            repeated: tenant.repeated + before - budget.left
        )
    }
}
