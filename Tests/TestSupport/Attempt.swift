/// Runs `body`, and then `cleanUp`, whether or not the body throws.
package func attempt(_ body: () async throws -> Void, finally cleanUp: () async -> Void) async throws {
    do {
        try await body()
    } catch {
        await cleanUp()
        throw error
    }
    await cleanUp()
}
