/// How many values the files of a configuration may stand for beyond those that are written in them: a few lines of
/// aliases, merge keys and templates can stand for billions.
package final class RepetitionBudget {
    /// Of all files together; a text counts as a value for each 64 bytes. Ten thousand tenants that extend a template of
    /// a hundred values are a quarter of it.
    package static let limit = 4_000_000
    private static let bytesOfAValue = 64

    package private(set) var left = RepetitionBudget.limit

    package init() {}

    /// - Returns: False if that is too many.
    package func take(_ values: Int) -> Bool {
        left -= min(values, left + 1)
        return left >= 0
    }

    /// What a text of so many bytes counts as.
    package static func weight(ofBytes count: Int) -> Int { 1 + count / bytesOfAValue }

    package static let message =
        "aliases, merge keys, templates and variables repeat more than \(limit) values: use fewer, or write less in them"
}
