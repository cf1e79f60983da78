/// Runs `step`, and throws the result of `transform` for its error.
package func mappingErrors<Value, Problem: Error, Mapped: Error>(
    _ transform: (Problem) -> Mapped,
    _ step: () async throws(Problem) -> Value
) async throws(Mapped) -> Value {
    do throws(Problem) {
        return try await step()
    } catch {
        throw transform(error)
    }
}
