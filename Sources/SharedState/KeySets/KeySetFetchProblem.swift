/// Why a provider gave no key set: one line, without anything secret.
public struct KeySetFetchProblem: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ text: String) {
        let line = text.prefix(300).map { $0.isNewline ? " " : $0 }
        description = String(line)
    }

    /// What people are told of a request that failed.
    public init(_ error: any Error) { self = error as? KeySetFetchProblem ?? KeySetFetchProblem("\(error)") }
}
