import ConfigurationText

/// Checks a value against the schema: unknown and missing keys, wrong types, numbers out of bounds. The readers check what
/// several keys mean together.
struct SchemaCheck {
    private let findings: Findings
    /// Whether keys that are required must be there; not in a part, which something else completes.
    private var isWhole = true

    init(findings: Findings) {
        self.findings = findings
    }

    /// Making it looks at every key.
    private static let tenant = Schema.tenant.object

    // MARK: Files

    /// Checks tenants.yaml but for its tenants and templates, of which only the shape.
    func main(_ root: DocumentNode) {
        let object = Schema.root.object
        guard case .map(let entries) = root.content else {
            return mismatch(root, .object(object), "the file")
        }
        check(entries, against: object, name: "the file", owner: .start) { $0.hasTenantsOrTemplates }
    }

    /// Checks an included file likewise.
    ///
    /// - Parameter main: The name of the file that includes it.
    func included(_ root: DocumentNode, main: String) {
        let keys = Schema.root.object.keys.filter { Self.sharedKeys.contains($0.name) }
        let object = SchemaObject(
            keys: keys.map { key in
                var key = key
                key.isRequired = false
                return key
            }
        )
        guard case .map(var entries) = root.content else {
            return mismatch(root, .object(object), "the file")
        }
        for entry in entries {
            switch entry.key {
            case Schema.root.include.name:
                findings.error(
                    entry.keyPosition,
                    "an included file includes no others: add the files to \"include\" in \(main)"
                )
            case Schema.root.gateway.name:
                findings.error(
                    entry.keyPosition,
                    "\"gateway\" is for the process, and only one file has it: move it to \(main)"
                )
            default: continue
            }
        }
        entries.removeAll { [Schema.root.include.name, Schema.root.gateway.name].contains($0.key) }
        check(entries, against: object, name: "the file", owner: root.position) { $0.hasTenantsOrTemplates }
    }

    private static let sharedKeys = [
        Schema.root.version.name, Schema.root.templates.name, Schema.root.tenants.name,
    ]

    /// Checks another file than those of the configuration.
    func file(_ root: DocumentNode, _ type: SchemaType) {
        value(root, type, name: "the file", owner: root.position)
    }

    // MARK: Tenants

    /// Checks a tenant over what it extends.
    ///
    /// - Parameter isUnchecked: Whether a key's value is to be checked; not if the same value was.
    func tenant(_ entry: DocumentNode.Entry, where isUnchecked: (DocumentNode.Entry) -> Bool = { _ in true }) {
        section(entry, isUnchecked)
    }

    /// Checks a template, or a tenant that lacks what it extends.
    func part(_ entry: DocumentNode.Entry, where isUnchecked: (DocumentNode.Entry) -> Bool = { _ in true }) {
        var check = self
        check.isWhole = false
        check.section(entry, isUnchecked)
    }

    private func section(_ entry: DocumentNode.Entry, _ isUnchecked: (DocumentNode.Entry) -> Bool) {
        guard case .map(let entries) = entry.value.content else {
            return value(entry.value, .object(Self.tenant), name: "\"\(entry.key)\"", owner: entry.keyPosition)
        }
        check(entries, against: Self.tenant, name: "\"\(entry.key)\"", owner: entry.keyPosition) { !isUnchecked($0) }
    }

    // MARK: Values

    /// - Parameters:
    ///   - name: The value's name in messages.
    ///   - owner: The position of its key.
    private func value(_ node: DocumentNode, _ type: SchemaType, name: @autoclosure () -> String, owner: Position) {
        if case .unresolved = node.content { return }
        switch type {
        case .object(let object), .partial(let object):
            guard case .map(let entries) = node.content else { return mismatch(node, type, name()) }
            check(entries, against: object, name: name(), owner: owner)
        case .dictionary(_, let element, let minimum):
            guard case .map(let entries) = node.content else { return mismatch(node, type, name()) }
            if entries.count < minimum { findings.error(node.position, "\(name()) is empty: name at least \(minimum)") }
            for entry in entries {
                value(entry.value, element, name: "\"\(entry.key)\"", owner: entry.keyPosition)
            }
        case .list(let element, let minimum, let maximum):
            guard case .list(let items) = node.content else { return mismatch(node, type, name()) }
            if items.count < minimum {
                findings.error(
                    node.position,
                    "\(name()) is empty: give at least \(minimum), for example \(type.example)"
                )
            }
            if items.count > maximum {
                findings.error(node.position, "\(name()) has more than \(maximum) items: give fewer")
            }
            // Lists are replaced whole: nothing else completes an item.
            let whole = SchemaCheck(findings: findings)
            for item in items {
                whole.value(item, element, name: "an item of \(name())", owner: item.position)
            }
        case .either(let types):
            let shaped = types.filter { $0.hasShape(of: node) }
            // Of a word and another scalar the word, if it is that.
            guard let fitting = shaped.first(where: { $0.isChoice(of: node) }) ?? shaped.last else {
                return mismatch(node, type, name())
            }
            if case .choice(let choices) = fitting, let scalar = node.scalar, !choices.contains(scalar.text) {
                return mismatch(node, type, name(), is: node.shown)
            }
            value(node, fitting, name: name(), owner: owner)
        case .anything:
            return
        case .text, .secret, .url, .path, .boolean, .integer, .decimal, .duration, .size, .rate, .choice:
            scalar(node, type, name())
        }
    }

    private func check(
        _ entries: [DocumentNode.Entry],
        against object: SchemaObject,
        name: @autoclosure () -> String,
        owner: Position,
        except isSkipped: (DocumentNode.Entry) -> Bool = { _ in false }
    ) {
        for entry in entries {
            guard let key = object.key(entry.key) else {
                // Comparing a key with all that are known takes a while.
                findings.error(entry.keyPosition, findings.isFull ? "" : Self.unknown(entry.key, object))
                continue
            }
            if isSkipped(entry) { continue }
            value(entry.value, key.type, name: "\"\(key.name)\"", owner: entry.keyPosition)
        }
        guard isWhole else { return }
        for key in object.required where !key.isAmong(entries) {
            let addition = key.type.isSection ? "add the section" : "add \"\(key.name): \(key.example)\""
            findings.error(owner, "\(name()) lacks \"\(key.name)\": \(addition)")
        }
    }

    private static func unknown(_ name: String, _ object: SchemaObject) -> String {
        let known = object.keys.map(\.name)
        if let nearest = EditDistance.nearest(to: name, among: known) {
            return "unknown key \"\(name)\": did you mean \"\(nearest)\"?"
        }
        return "unknown key \"\(name)\": the keys here are \(known.joined(separator: ", "))"
    }

    private func scalar(_ node: DocumentNode, _ type: SchemaType, _ name: @autoclosure () -> String) {
        guard let scalar = node.scalar else { return mismatch(node, type, name()) }
        do throws(Remedy) {
            switch type {
            case .boolean:
                _ = try ScalarText.boolean(scalar)
            case .integer(let range):
                try bounds(ScalarText.integer(scalar), range)
            case .decimal(let range):
                try bounds(ScalarText.decimal(scalar), range)
            case .duration(let range, _):
                let duration = try ScalarText.duration(scalar.text)
                guard range.contains(duration) else {
                    throw Remedy("give one from \(range.lowerBound.shown) to \(range.upperBound.shown)")
                }
            case .size(let range, _):
                try bounds(ScalarText.size(scalar.text), range)
            case .rate(let range, _):
                let rate = try ScalarText.rate(scalar.text)
                if rate != 0 { try bounds(rate, range) }
            case .choice(let choices):
                try choice(scalar.text, choices)
            case .text, .path, .url:
                guard !scalar.text.isEmpty else { throw Remedy("it is empty; fill it in") }
            case .secret, .list, .object, .partial, .dictionary, .either, .anything: break
            }
        } catch {
            findings.error(node.position, "\(name()) must be \(type.expectation), but is \(node.shown): \(error.text)")
        }
    }

    private func bounds<Number: Comparable>(_ number: Number, _ range: ClosedRange<Number>) throws(Remedy) {
        guard range.contains(number) else {
            throw Remedy(
                range.lowerBound == range.upperBound
                    ? "only \(range.lowerBound) is known" : "give one from \(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    private func choice(_ text: String, _ choices: [String]) throws(Remedy) {
        guard !choices.contains(text) else { return }
        if let nearest = EditDistance.nearest(to: text, among: choices) { throw Remedy("did you mean \"\(nearest)\"?") }
        throw Remedy(choices.count == 1 ? "write \(choices.joined())" : "choose one of them")
    }

    /// - Parameter given: What is there instead. By default the kind only: the value may be a secret under the wrong key.
    private func mismatch(_ node: DocumentNode, _ type: SchemaType, _ name: String, is given: String? = nil) {
        let fault = "\(name) must be \(type.expectation), but is \(given ?? node.kind)"
        findings.error(node.position, "\(fault): \(Self.remedy(type))")
    }

    /// An example of a switch or of a choice could turn something on, or off, that nobody asked for.
    private static func remedy(_ type: SchemaType) -> String {
        switch type {
        case .object, .partial, .dictionary: "write its keys on the lines below it, indented"
        case .boolean, .choice: "write it as one word"
        case .text, .secret, .url, .path, .integer, .decimal, .duration, .size, .rate, .list, .either, .anything:
            "write it like \(type.example)"
        }
    }
}

extension SchemaKey {
    /// Whether the key, or one that may stand in its place, is there.
    fileprivate func isAmong(_ entries: [DocumentNode.Entry]) -> Bool {
        entries.contains { $0.key == name || alternatives.contains($0.key) }
    }
}

extension DocumentNode.Entry {
    /// Whether it is a map of tenants or templates, which are checked one by one.
    fileprivate var hasTenantsOrTemplates: Bool {
        guard case .map = value.content else { return false }
        return key == Schema.root.tenants.name || key == Schema.root.templates.name
    }
}
