/// Collects errors and warnings. Reading goes on after an error, so that one run reports all of them.
package final class Findings {
    private struct Finding: Hashable {
        package var position: Position
        package var message: String
        package var blamed: DocumentSource?
    }

    private struct Entry {
        package var severity: Diagnostic.Severity
        package var position: Position
        package var message: String
        /// The tenant that was read, if the position is not in its own lines.
        package var extending: String?
        package var blamed: DocumentSource?
    }

    private struct Told: Hashable {
        package var source: DocumentSource
        package var severity: Diagnostic.Severity
    }

    /// Errors, and warnings, that are kept of one source that leaves the rest usable: somebody else may have written it, and
    /// a text of a megabyte can have a hundred thousand.
    package static let mostOfOne = 100

    /// The path of tenants.yaml.
    private let file: String
    private var told: [Told: Int] = [:]
    private var places: [DocumentSource: Int] = [:]
    /// In the order in which they were read, tenants.yaml first.
    package private(set) var sources: [DocumentSource] = [.main]
    private var seen: Set<Finding> = []
    private var entries: [Entry] = []
    /// Sources with an error that leave the rest usable.
    package private(set) var faulty: Set<DocumentSource> = []
    /// Sources that leave the rest usable, with an error or a warning while their tenant was read.
    package private(set) var mentioned: Set<DocumentSource> = []
    package private(set) var hasErrors = false
    /// Errors, those that were reported before among them.
    package private(set) var errorCount = 0
    /// The tenant that is being read; nil outside of tenants.
    private var tenant: ReadTenant?

    package init(file: String) {
        self.file = file
    }

    package func reserve(sources count: Int) {
        places.reserveCapacity(count)
        sources.reserveCapacity(count)
    }

    /// Findings in the source come after those of the sources before it.
    package func add(_ source: DocumentSource) {
        guard source != .main, places[source] == nil else { return }
        places[source] = sources.count
        sources.append(source)
    }

    /// The tenant that findings are about while it is read.
    package struct ReadTenant {
        package var name: String
        /// Whether a position is in the tenant's own lines.
        package var isOwn: (Position) -> Bool
        /// The source that is at fault for its errors, if they leave the rest usable; nil: they do not.
        package var blamed: DocumentSource?

        package init(name: String, isOwn: @escaping (Position) -> Bool, blamed: DocumentSource?) {
            self.name = name
            self.isOwn = isOwn
            self.blamed = blamed
        }
    }

    /// Findings that `body` adds are about this tenant.
    ///
    /// - Returns: What `body` returns, and whether it had no error.
    package func reading<Value>(_ tenant: ReadTenant, _ body: () -> Value) -> (value: Value, isGood: Bool) {
        let before = errorCount
        self.tenant = tenant
        let value = body()
        self.tenant = nil
        return (value, errorCount == before)
    }

    package func error(_ position: Position, _ message: String) {
        errorCount += 1
        if let blamed = tenant?.blamed { faulty.insert(blamed) } else { hasErrors = true }
        add(.error, position, message)
    }

    /// Whether further errors are counted but not kept: their messages need not be made.
    package var isFull: Bool {
        tenant?.blamed.map { told[Told(source: $0, severity: .error), default: 0] >= Self.mostOfOne } ?? false
    }

    package func warning(_ position: Position, _ message: String) {
        add(.warning, position, message)
    }

    /// What aliases or templates use many times is reported once.
    private func add(_ severity: Diagnostic.Severity, _ position: Position, _ message: String) {
        if let blamed = tenant?.blamed {
            mentioned.insert(blamed)
            guard told[Told(source: blamed, severity: severity), default: 0] < Self.mostOfOne else { return }
        }
        let finding = Finding(position: position, message: message, blamed: tenant?.blamed)
        guard seen.insert(finding).inserted else { return }
        if let blamed = tenant?.blamed { told[Told(source: blamed, severity: severity), default: 0] += 1 }
        let extending = tenant.flatMap { $0.isOwn(position) ? nil : $0.name }
        entries.append(
            Entry(
                severity: severity,
                position: position,
                message: message,
                extending: extending,
                blamed: tenant?.blamed
            )
        )
    }

    /// A place as a message at another one names it: `line 4`, or with its file if that is another.
    package func place(of position: Position, from other: Position) -> String {
        if position.source == other.source { return "line \(position.line)" }
        return "\(name(of: position.source)):\(position.line)"
    }

    package func name(of source: DocumentSource) -> String { source.name ?? file }

    /// In the order of the files and of their lines, without those of faulty sources.
    package var sorted: [Diagnostic] {
        diagnostics { entry in entry.blamed.map { !faulty.contains($0) } ?? true }
    }

    /// Those about one faulty source.
    package func diagnostics(of source: DocumentSource) -> [Diagnostic] {
        diagnostics { $0.blamed == source }
    }

    private func diagnostics(_ isWanted: (Entry) -> Bool) -> [Diagnostic] {
        entries.filter(isWanted).enumerated()
            .map { (place: places[$0.element.position.source] ?? 0, offset: $0.offset, entry: $0.element) }
            .sorted { left, right in
                let (one, other) = (left.entry.position, right.entry.position)
                return (left.place, one.line, one.column, left.offset)
                    < (right.place, other.line, other.column, right.offset)
            }
            .map { diagnostic($0.entry) }
    }

    private func diagnostic(_ entry: Entry) -> Diagnostic {
        let user = entry.extending.map { " (in tenant \"\($0)\")" } ?? ""
        return Diagnostic(
            severity: entry.severity,
            file: name(of: entry.position.source),
            line: entry.position.line,
            column: entry.position.column,
            message: entry.message + user
        )
    }
}
