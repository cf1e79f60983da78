import TestSupport

/// Limits concurrent fixtures, so that parallel tests do not starve each other on a small machine.
actor FixtureLimit {
    static let shared = FixtureLimit(slots: 4)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(slots: Int) {
        free = slots
    }

    nonisolated func withSlot(_ body: () async throws -> Void) async throws {
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
