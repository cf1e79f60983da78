/// A curl line, and the status of its response.
struct DemoLine {
    let title: String
    let status: Int
    let command: String
    /// Prefixes of some response fields, in lower case up to the colon: `x-refreshed-token: `.
    let fields: [String]

    /// - Parameter arguments: Of curl; quoted here for a shell.
    init(_ status: Int, _ title: String, _ arguments: [String], fields: [String] = []) {
        self.title = title
        self.status = status
        self.fields = fields
        command = (["curl", "-sS"] + arguments.map(ShellText.quoted)).joined(separator: " ")
    }
}
