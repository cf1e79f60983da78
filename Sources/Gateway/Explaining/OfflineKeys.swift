import NIOPosix
import Proxy
import SharedState
import Tenants
import Time

/// Fetches issuers' keys for decisions without a running gateway: each set once, with a limit fit for an interactive
/// command.
actor OfflineKeys {
    private static let patience = Duration.seconds(5)

    private let fetcher: any KeySetFetching
    private var worker: WorkerHandle?
    private var fetched: Set<RemoteKeySource> = []
    /// Why sets could not be fetched.
    private(set) var problems: [String] = []

    init(_ fetcher: any KeySetFetching = KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton, timeout: patience))
    {
        self.fetcher = fetcher
    }

    func use(_ worker: WorkerHandle) { self.worker = worker }

    /// Only the running gateway introspects tokens.
    func noteOpaqueToken() {
        problems.append("the token is opaque, and is not introspected here: --admin URL asks the running gateway")
    }

    /// When this returns `decideAgain`, the worker has the keys.
    func fetch(_ source: RemoteKeySource) async -> KeySetResult {
        guard fetched.insert(source).inserted, let worker else { return .nothingNew }
        do {
            let keys = try HeldKeySet(try await fetcher.fetch(source, since: nil, at: Clock.unix())).keys
            try await worker.submit { $0.use(keys, from: .remote(source)) }
            return .decideAgain
        } catch {
            let reason = KeySetFetchProblem(error).description
            problems.append("the keys of \(source.label) could not be fetched: \(reason)")
            return .unavailable(retryAfterSeconds: 1)
        }
    }
}
