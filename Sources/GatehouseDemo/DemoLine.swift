/// A curl line, and the status of its response.
struct DemoLine {
    private static let plainCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./:_=".utf8
    )

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
        command = (["curl", "-sS"] + arguments.map(Self.quoted)).joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        guard argument.isEmpty || !argument.utf8.allSatisfy(plainCharacters.contains) else { return argument }
        let parts = argument.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
