public import Logging
import Store
import Synchronization

/// Follows the tenants in the store: what others write is here as soon as it is announced, or is found when looking again.
public actor StoredTenantService {
    /// Changes within this time are passed on together.
    private static let gathering = Duration.milliseconds(150)
    /// Between two looks for changes whose announcement was lost.
    private static let upkeep = Duration.seconds(15)
    /// After a failure.
    private static let pause = Duration.seconds(1)
    /// Of the texts that are read at once.
    private static let batch = (bytes: 4 << 20, count: 500)

    public nonisolated let tenants: StoredTenants
    private let logger: Logger
    /// Nil: no copies are kept.
    private let disk: StoredTenantDisk?
    /// The copies that are there; nil if that is not known yet.
    private var copies: Set<StoredTenantDisk.File>?
    private let changed: @Sendable () async -> Bool
    private var replica = StoredTenantReplica()
    private let signal: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private var failure: String?
    /// What ``all`` is, for other threads.
    private nonisolated let shared = Mutex<(isLoaded: Bool, tenants: [StoredTenants.Stored])>((false, []))

    /// - Parameters:
    ///   - stateDirectory: For copies of the tenants, to start without the store; nil: none.
    ///   - changed: Called when ``all`` has changed; the next changes wait until it returns. False to be called again.
    public init(
        _ tenants: StoredTenants,
        stateDirectory: String? = nil,
        logger: Logger,
        changed: @escaping @Sendable () async -> Bool
    ) {
        self.tenants = tenants
        self.logger = logger
        disk = stateDirectory.flatMap { directory in
            tenants.sealer.map { StoredTenantDisk(stateDirectory: directory, sealer: $0, logger: logger) }
        }
        self.changed = changed
        (signal, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The tenants as last read, in the order of their names. Those of a store that is out of reach stay.
    public nonisolated var all: [StoredTenants.Stored] { shared.withLock { $0.tenants } }

    /// Whether all were read once.
    public nonisolated var isLoaded: Bool { shared.withLock { $0.isLoaded } }

    /// A tenant was written, here or at another instance.
    public func announced(_ name: String) {
        replica.announce(name)
        wake.yield()
    }

    /// Announcements may have been missed.
    public func reloaded() {
        replica.missed()
        wake.yield()
    }

    /// Reads all tenants for the start.
    ///
    /// - Returns: Whether they were read.
    public func load() async -> Bool {
        _ = await read()
        await keepCopies()
        return isLoaded
    }

    /// Takes the copies on disk for the tenants, until those of the store are read.
    public func restore() async {
        guard let disk, !replica.isLoaded else { return }
        let copies = await disk.all()
        guard !copies.isEmpty, replica.restore(copies) else { return }
        publish()
        logger.warning(
            "the tenants in the store could not be read: their copies in the state directory are served",
            metadata: ["tenants": "\(copies.count)"]
        )
    }

    /// What the store has not confirmed is never written over what it has.
    private func keepCopies() async {
        guard let disk, replica.isLoaded else { return }
        copies = await disk.keep(replica.known, instead: copies)
    }

    /// Follows the store until its task is cancelled.
    public func run() async {
        let upkeep = Task { [weak self] in
            while (try? await Task.sleep(for: Self.upkeep)) != nil { await self?.lookAgain() }
        }
        defer { upkeep.cancel() }
        wake.yield()
        var isDue = false
        for await _ in signal {
            guard (try? await Task.sleep(for: Self.gathering)) != nil else { return }
            let reading = await read()
            if reading == .changed { isDue = true }
            if isDue { isDue = await !changed() }
            if reading == .changed { await keepCopies() }
            guard reading == .failed || isDue else { continue }
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            wake.yield()
        }
    }

    /// For lost announcements: one small value says whether anything has changed since the last listing.
    private func lookAgain() async {
        guard let id = try? await tenants.lastChangeID(), id != replica.changeID else { return }
        reloaded()
    }

    // MARK: Reading

    private enum Reading {
        case changed, same, failed
    }

    private func read() async -> Reading {
        let (names, listing) = replica.take()
        do throws(StoredTenantProblem) {
            var isChanged = false
            if listing { isChanged = try await list() }
            if try await read(names.sorted()) { isChanged = true }
            failure = nil
            publish()
            return isChanged ? .changed : .same
        } catch {
            replica.failed(names, listing: listing)
            publish()
            report(error)
            return .failed
        }
    }

    /// - Returns: Whether one of the tenants is another one now. One that cannot be opened stays as it was.
    private func read(_ names: [String]) async throws(StoredTenantProblem) -> Bool {
        guard !names.isEmpty else { return false }
        let (heads, garbled) = try await tenants.heads(of: names)
        for name in garbled { report(unreadable: name, .garbled("its head")) }
        let gone = Set(names).subtracting(heads.map(\.name) + garbled)
        var isChanged = false
        for name in gone where replica.read(name, nil) { isChanged = true }
        for batch in Self.batches(replica.unknown(of: heads)) {
            let (texts, unreadable) = try await tenants.texts(of: batch)
            for text in texts where replica.read(text.head.name, text) { isChanged = true }
            for (name, error) in unreadable { report(unreadable: name, error) }
            // Another version may have become the present one meanwhile, which is announced, or found when looking again.
            let found = Set(texts.map(\.head.name) + unreadable.map(\.name))
            for head in batch where !found.contains(head.name) { announced(head.name) }
        }
        return isChanged
    }

    private func list() async throws(StoredTenantProblem) -> Bool {
        // Before the list: what is written meanwhile leads to another look.
        let id = try await tenants.lastChangeID()
        var heads: [StoredTenantHead] = []
        while true {
            let page = try await tenants.heads(after: heads.last?.name, limit: CollectionLimits.page)
            heads += page
            guard page.count == CollectionLimits.page, heads.count <= StoredTenants.limit else { break }
        }
        var texts: [StoredTenants.Stored] = []
        for batch in Self.batches(replica.unknown(of: heads)) {
            let (read, unreadable) = try await tenants.texts(of: batch)
            texts += read
            for (name, error) in unreadable { report(unreadable: name, error) }
        }
        if texts.contains(where: \.isOutdated) { try await tenants.sealAnew() }
        return replica.list(heads, texts, changeID: id)
    }

    private static func batches(_ heads: [StoredTenantHead]) -> [[StoredTenantHead]] {
        var batches: [[StoredTenantHead]] = []
        var current: [StoredTenantHead] = []
        var bytes = 0
        for head in heads {
            if !current.isEmpty, bytes + head.bytes > batch.bytes || current.count == batch.count {
                batches.append(current)
                (current, bytes) = ([], 0)
            }
            current.append(head)
            bytes += head.bytes
        }
        return current.isEmpty ? batches : batches + [current]
    }

    private func publish() {
        let (isLoaded, all) = (replica.isLoaded, replica.all)
        shared.withLock { $0 = (isLoaded, all) }
    }

    private func report(unreadable name: String, _ error: StoreError) {
        logger.error(
            "a tenant in the store cannot be read; it stays as it was",
            metadata: ["tenant": "\(name)", "reason": "\(error)"]
        )
    }

    private func report(_ problem: StoredTenantProblem) {
        let reason =
            switch problem {
            case .store(let error): "\(error)"
            case .noSealingKey: "GATEHOUSE_KEY is not set, and the tenants in the store are sealed with it"
            case .unknown, .changed, .exists, .routeTaken, .unknownVersion, .full: "\(problem)"
            }
        // Once for each change of the reason: the store may be away for hours.
        guard reason != failure else { return }
        failure = reason
        logger.warning(
            "the tenants in the store could not be read; those known stay",
            metadata: ["reason": "\(reason)"]
        )
    }
}
