/// Why a provider gave no key set: one line, without anything secret.
public struct KeySetFetchProblem: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ text: String) {
        let line = text.prefix(300).map { $0.isNewline ? " " : $0 }
        description = String(line)
    }

    /// The description of a failed request, for logs.
    public init(_ error: any Error) { self = error as? KeySetFetchProblem ?? KeySetFetchProblem("\(error)") }
}
