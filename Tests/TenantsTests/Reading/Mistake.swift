import Testing

/// A file with a mistake (or a doubt), and everything that reading it says.
struct Mistake: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// Without the file's name, which is `t.yaml`.
    var diagnostics: [String]

    init(_ name: String, _ text: String, _ diagnostics: [String]) {
        self.name = name
        self.text = text
        self.diagnostics = diagnostics
    }

    var testDescription: String { name }
}
