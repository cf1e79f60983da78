/// An error or a warning about tenants.yaml, with its position and a remedy.
public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    public enum Severity: Sendable, Equatable {
        /// The configuration cannot be used.
        case error
        /// The configuration can be used, but may not do what was meant.
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

/// A line and a column of the file, from 1.
package struct Position: Sendable, Hashable, Comparable {
    package var line: Int
    package var column: Int

    static let start = Position(line: 1, column: 1)

    package static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Collects errors and warnings. Reading goes on after an error, so that one run reports all of them.
final class Findings {
    private struct Finding: Hashable {
        var position: Position
        var message: String
    }

    private let file: String
    private var seen: Set<Finding> = []
    private var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    func error(_ position: Position, _ message: String) {
        add(.error, position, message)
    }

    func warning(_ position: Position, _ message: String) {
        add(.warning, position, message)
    }

    /// A value that aliases use many times is reported once.
    private func add(_ severity: Diagnostic.Severity, _ position: Position, _ message: String) {
        guard seen.insert(Finding(position: position, message: message)).inserted else { return }
        diagnostics.append(
            Diagnostic(severity: severity, file: file, line: position.line, column: position.column, message: message)
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
