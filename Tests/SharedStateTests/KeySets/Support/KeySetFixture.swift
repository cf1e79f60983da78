import Logging
import Store
import TestSupport
import Verification

@testable import SharedState
@testable import Tenants

/// Some instances with one store, one provider and one source, in pretend time.
final class KeySetFixture: Sendable {
    static let source = RemoteKeySource(location: .keySet(url: "https://id.test/keys"))

    let clock: PretendClock
    let store: PretendStore
    let provider: PretendProvider
    let services: [KeySetService]
    let sources: [RemoteKeySource]
    /// What each service handed on, in order.
    let used: [Awaited<[KeySet?]>]
    private let running: Awaited<[Task<Void, Never>]> = Awaited([])

    init(
        _ count: Int = 1,
        provider: PretendProvider,
        clock: PretendClock = PretendClock(),
        stateDirectory: String? = nil,
        sources: [RemoteKeySource] = [source]
    ) {
        let store = PretendStore(clock)
        let used = (0..<count).map { _ in Awaited<[KeySet?]>([]) }
        self.clock = clock
        self.store = store
        self.provider = provider
        self.used = used
        self.sources = sources
        services = used.map { used in
            KeySetService(
                sources: sources,
                store: store,
                stateDirectory: stateDirectory,
                fetcher: provider,
                logger: Logger(label: "service") { _ in SwiftLogNoOpLogHandler() },
                clock: clock.fleetClock(),
                use: { _, keys in used.update { $0.append(keys) } }
            )
        }
    }

    /// Starts the instances at these places; all, if none is named.
    func start(_ places: [Int]? = nil) {
        for place in places ?? Array(services.indices) {
            let service = services[place]
            let task = Task { await service.run() }
            running.update { $0.append(task) }
        }
    }

    /// Ends what was started, and waits for the end.
    func stop() async {
        provider.hold(false)
        let tasks = running.update { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Starts one after the other, and waits until all have the set and are at rest.
    func open() async {
        for place in services.indices {
            start([place])
            await used[place].wait { !$0.isEmpty }
            await clock.waitForSleepers(place + 1, after: 2880)
        }
    }

    /// Passes all announcements so far on to these services.
    func deliver(to places: [Int]) async {
        let announcements = store.announcements.value
        for place in places {
            for announcement in announcements { await services[place].announced(announcement.subject) }
        }
    }
}
