/// Lists that are logged and reported: ten thousand tenants may change, or have a warning, at once.
public enum ListedLines {
    /// Lines that are listed.
    public static let most = 100

    /// The first lines, and how many more there are.
    static func shortened(_ lines: [String]) -> [String] {
        lines.count > most ? lines.prefix(most) + ["and \(lines.count - most) more"] : lines
    }
}
