import Testing

/// A tenants.yaml with a mistake (or a doubt), and everything that reading it says.
struct Mistake: Sendable, CustomTestStringConvertible {
    var name: String
    var text: String
    /// What is there beside `t.yaml`, by path.
    var files: [String: String] = [:]
    /// With the file's name: `t.yaml`, or the path of another.
    var diagnostics: [String]
    /// The file below Tests/TenantsTests/Mistakes, and the line of the case in it.
    var file: String
    var line: Int

    var testDescription: String { "\(name) (\(file):\(line))" }
}
