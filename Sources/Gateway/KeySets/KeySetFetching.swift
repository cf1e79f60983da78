import Tenants

/// Asks a provider for its key set.
protocol KeySetFetching: Sendable {
    /// - Parameters:
    ///   - record: The set as it is known, if it is; its entity tag and its metadata are used.
    ///   - now: Unix seconds.
    /// - Returns: What came, with its times; the same bytes under new times if the provider has nothing newer. Whether
    ///   the bytes are a key set is not looked at.
    func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: Double
    ) async throws(KeySetFetchProblem) -> KeySetRecord
}

/// Why a provider gave no key set: one line, without anything secret.
struct KeySetFetchProblem: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let line = text.prefix(300).map { $0.isNewline ? " " : $0 }
        description = String(line)
    }
}
