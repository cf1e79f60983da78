import Testing

/// A tenants.yaml with a mistake (or a doubt), and everything that reading it says.
struct Mistake: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// Without the file's name, which is `t.yaml`.
    var diagnostics: [String]
    /// The file below Tests/TenantsTests/Mistakes, and the line of the case in it.
    var file: String
    var line: Int

    var testDescription: String { "\(name) (\(file):\(line))" }
}
