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
