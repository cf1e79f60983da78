import ConfigurationText

/// The templates of all files, and what tenants get of them.
struct Templates {
    /// Templates that extend one another.
    static let longestChain = 100
    /// Names that a message lists, and unknown names that are compared with all of them.
    private static let mostListed = 10
    private static let mostCompared = 100

    /// What a template gives, with what it extends.
    struct Resolved {
        var node: DocumentNode
        /// Values in it.
        var size: Int
        /// Whether it lacks what it extends, which was reported.
        var isIncomplete = false
    }

    private let findings: Findings
    private let budget: RepetitionBudget
    private let type = SchemaType.object(Schema.tenant.object)
    private var entries: [String: DocumentNode.Entry] = [:]
    /// In the order of the files.
    private(set) var names: [String] = []
    private var resolved: [String: Resolved] = [:]
    /// For a name that is a tenant's: that is a mistake of its own.
    private let tenants: [String: Position]
    private var suggestions: [String: String] = [:]
    /// What of a template is not for every writer; nil if there is nothing.
    private var guarded: [String: GuardedValue?] = [:]
    private let isPartial: Bool
    private(set) var isTooMuch = false

    /// - Parameters:
    ///   - tenants: The names of all tenants.
    ///   - isPartial: Whether more templates may be in a file that cannot be read: unknown names are not reported then.
    init(findings: Findings, budget: RepetitionBudget, tenants: [String: Position], isPartial: Bool) {
        self.isPartial = isPartial
        self.findings = findings
        self.budget = budget
        self.tenants = tenants
    }

    mutating func add(_ entry: DocumentNode.Entry) {
        if let first = entries[entry.key] {
            let place = findings.place(of: first.keyPosition, from: entry.keyPosition)
            return findings.error(
                entry.keyPosition,
                "template \"\(entry.key)\" is in \(place) already: rename one, or leave one out"
            )
        }
        entries[entry.key] = withoutHosts(entry)
        names.append(entry.key)
    }

    /// Hosts are a tenant's own: two tenants with the same would be one.
    private func withoutHosts(_ entry: DocumentNode.Entry) -> DocumentNode.Entry {
        guard case .map(var members) = entry.value.content,
            let index = members.firstIndex(where: { $0.key == Schema.tenant.hosts.name })
        else { return entry }
        findings.error(
            members[index].keyPosition,
            "a template has no \"hosts\", each tenant has its own: move them to the tenants that extend it"
        )
        members.remove(at: index)
        var entry = entry
        entry.value.content = .map(members)
        return entry
    }

    /// Each over what it extends.
    mutating func all() -> [DocumentNode.Entry] {
        names.compactMap { name in
            guard var entry = entries[name] else { return nil }
            entry.value = resolve(template: name).node
            return entry
        }
    }

    /// A tenant over what it extends.
    mutating func resolve(tenant node: DocumentNode) -> Resolved {
        guard let extends = node.entry(Schema.tenant.extends) else { return Resolved(node: node, size: 0) }
        guard let name = extends.value.filled?.text else {
            return Resolved(node: node, size: 0, isIncomplete: true)
        }
        guard entries[name] != nil else {
            reportUnknown(name, at: extends.value.position)
            return Resolved(node: node.without(Schema.tenant.extends), size: 0, isIncomplete: true)
        }
        return lay(node, over: resolve(template: name), name: name, at: extends.value.position)
    }

    /// Reports that a tenant extends a template with secrets, files or variables, which its writer may not use.
    mutating func checkGuarded(extendedBy node: DocumentNode) {
        guard let extends = node[Schema.tenant.extends], let name = extends.filled?.text, entries[name] != nil else {
            return
        }
        let value: GuardedValue?
        if let known = guarded[name] {
            value = known
        } else {
            value = GuardedValue.first(in: resolve(template: name).node, type)
            guarded[name] = .some(value)
        }
        guard let value else { return }
        let place = findings.place(of: value.position, from: extends.position)
        findings.error(
            extends.position,
            "template \"\(name)\" has \(value.kind) in \"\(value.key)\" (\(place)), which only a token that may do all may "
                + "use: have it write this tenant, or move that key out of the template"
        )
    }

    /// A template over what it extends.
    ///
    /// - Parameter name: That of a template that there is.
    mutating func resolve(template name: String) -> Resolved {
        if let known = resolved[name] { return known }
        var chain: [String] = []
        var next: String? = name
        var base: (name: String, value: Resolved)?
        var isIncomplete = false
        while let current = next, let entry = entries[current] {
            if let known = resolved[current] {
                base = (current, known)
                break
            }
            chain.append(current)
            next = nil
            guard let extends = entry.value.entry(Schema.tenant.extends) else { continue }
            next = extends.value.filled?.text
            if let next, isEnd(next, chain, extends.value.position) {
                isIncomplete = true
                break
            }
            if next == nil { isIncomplete = true }
        }
        for current in chain.reversed() {
            let node = entries[current]?.value ?? .absent
            var value: Resolved
            if let base, let extends = node[Schema.tenant.extends] {
                value = lay(node, over: base.value, name: base.name, at: extends.position)
            } else {
                value = Resolved(node: node.without(Schema.tenant.extends), size: node.size)
            }
            value.isIncomplete = value.isIncomplete || isIncomplete
            resolved[current] = value
            base = (current, value)
        }
        return base?.value ?? Resolved(node: .absent, size: 0, isIncomplete: true)
    }

    /// Whether a template cannot be extended after those of the chain, which is reported.
    private mutating func isEnd(_ name: String, _ chain: [String], _ position: Position) -> Bool {
        if entries[name] == nil {
            reportUnknown(name, at: position)
            return true
        }
        if let start = chain.firstIndex(of: name) {
            let others = chain[(start + 1)...].map { other in
                let place = entries[other].map { findings.place(of: $0.keyPosition, from: position) } ?? ""
                return " extends \"\(other)\" (\(place)), which"
            }
            findings.error(
                position,
                "template \"\(name)\"\(others.joined()) extends \"\(name)\" again: take one \"extends\" out"
            )
            return true
        }
        if chain.count >= Self.longestChain {
            findings.error(
                position,
                "more than \(Self.longestChain) templates extend one another: write some of them together"
            )
            return true
        }
        return false
    }

    private mutating func lay(
        _ node: DocumentNode,
        over base: Resolved,
        name: String,
        at position: Position
    ) -> Resolved {
        let own = node.without(Schema.tenant.extends)
        guard case .map = own.content else { return Resolved(node: own, size: 1, isIncomplete: true) }
        guard !isTooMuch, budget.take(base.size) else {
            if !isTooMuch { findings.error(position, RepetitionBudget.message) }
            isTooMuch = true
            return Resolved(node: own, size: 1, isIncomplete: true)
        }
        let merge = DocumentMerge(findings: findings, base: "template \"\(name)\"")
        return Resolved(
            node: merge.merge(own, over: base.node, type),
            size: own.size + base.size,
            isIncomplete: base.isIncomplete
        )
    }

    private mutating func reportUnknown(_ name: String, at position: Position) {
        if !isPartial { findings.error(position, unknown(name)) }
    }

    private mutating func unknown(_ name: String) -> String {
        if let known = suggestions[name] { return known }
        let fault = "there is no template \"\(name)\""
        let message: String
        if tenants[name] != nil {
            message = "\(fault), it is a tenant's name: extend a template, and put into one what both have"
        } else if names.isEmpty {
            message = "\(fault): add it below \"templates\" at the root"
        } else if suggestions.count < Self.mostCompared, let nearest = EditDistance.nearest(to: name, among: names) {
            message = "\(fault): did you mean \"\(nearest)\"?"
        } else {
            let listed = names.prefix(Self.mostListed).joined(separator: ", ")
            message =
                "\(fault): there \(names.count == 1 ? "is" : "are") \(listed)\(names.count > Self.mostListed ? ", …" : "")"
        }
        if suggestions.count < Self.mostCompared { suggestions[name] = message }
        return message
    }
}

extension DocumentNode {
    fileprivate func without(_ key: Key<some Sendable>) -> DocumentNode {
        guard case .map(var entries) = content, let index = entries.firstIndex(where: { $0.key == key.name }) else {
            return self
        }
        entries.remove(at: index)
        return DocumentNode(position: position, content: .map(entries))
    }

    /// Values in it, itself included; a long text counts as several.
    fileprivate var size: Int {
        switch content {
        case .null, .unresolved: 1
        case .scalar(let scalar): RepetitionBudget.weight(ofBytes: scalar.text.utf8.count)
        case .list(let items): items.reduce(1) { $0 + $1.size }
        case .map(let entries): entries.reduce(1) { $0 + $1.value.size }
        }
    }
}
