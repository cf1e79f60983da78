/// Text as a shell reads it.
enum ShellText {
    private static let plainCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./:_=".utf8
    )

    /// One word that stands for `text`.
    static func quoted(_ text: String) -> String {
        guard text.isEmpty || !text.utf8.allSatisfy(plainCharacters.contains) else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
