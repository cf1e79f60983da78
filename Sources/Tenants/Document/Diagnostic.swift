/// One mistake or doubt in tenants.yaml, with its place and what to do about it.
public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    public enum Severity: Sendable, Equatable {
        /// The configuration cannot be used.
        case error
        /// It can, but perhaps not as meant.
        case warning
    }

    public var severity: Severity
    public var file: String
    /// From 1.
    public var line: Int
    /// From 1, in Unicode scalars.
    public var column: Int
    public var message: String

    public init(severity: Severity, file: String, line: Int, column: Int, message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `file:line:column: message`, with `warning: ` before the message of a warning.
    public var description: String {
        switch severity {
        case .error: "\(file):\(line):\(column): \(message)"
        case .warning: "\(file):\(line):\(column): warning: \(message)"
        }
    }
}

/// Where something stands in the file; both count from 1.
struct Place: Sendable, Hashable, Comparable {
    var line: Int
    var column: Int

    static let start = Place(line: 1, column: 1)

    static func < (left: Place, right: Place) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What was found so far. Reading goes on after a mistake, so that all of them are told at once.
struct Findings {
    private struct Finding: Hashable {
        var place: Place
        var message: String
    }

    private let file: String
    private var seen: Set<Finding> = []
    private var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    mutating func error(_ place: Place, _ message: String) {
        add(.error, place, message)
    }

    mutating func warning(_ place: Place, _ message: String) {
        add(.warning, place, message)
    }

    /// A value that an alias uses many times is wrong once.
    private mutating func add(_ severity: Diagnostic.Severity, _ place: Place, _ message: String) {
        guard seen.insert(Finding(place: place, message: message)).inserted else { return }
        diagnostics.append(
            Diagnostic(severity: severity, file: file, line: place.line, column: place.column, message: message)
        )
    }

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// In the order of the file.
    var sorted: [Diagnostic] {
        diagnostics.enumerated()
            .sorted {
                ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
            }
            .map(\.element)
    }
}
