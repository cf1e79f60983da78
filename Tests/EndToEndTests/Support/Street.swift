import TestSupport

/// Bounds how many fixtures stand at once, so that parallel tests do not starve each other on a small machine.
actor Street {
    static let shared = Street(places: 4)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(places: Int) {
        free = places
    }

    nonisolated func withPlace(_ body: () async throws -> Void) async throws {
        await take()
        try await attempt {
            try await body()
        } finally: {
            await give()
        }
    }

    private func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func give() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
