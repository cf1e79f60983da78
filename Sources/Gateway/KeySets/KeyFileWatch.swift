import Logging
import NIOPosix
import Tenants
import Upstream
import Verification

/// Reloads keys when their files change. If reading fails, that is logged, and the previous keys stay in use.
///
/// It begins by passing on the current contents: the files may have changed since the configuration was read.
struct KeyFileWatch: Sendable {
    private struct Watched: Sendable {
        let source: KeyFileSource
        var changes: CertificateFileChanges

        init(_ source: KeyFileSource) {
            self.source = source
            changes = CertificateFileChanges(read: Self.look(source))
        }

        /// Files in a directory are added and removed, which changes the directory's own stamp.
        static func look(_ source: KeyFileSource) -> [FileStamp?] { source.watchedPaths().map { FileStamp($0) } }
    }

    private let watched: [Watched]
    private let interval: Duration
    private let logger: Logger
    private let use: @Sendable (KeyFileSource, KeySet) async -> Void

    /// - Parameters:
    ///   - interval: The time between two checks; a change takes effect after two to three of them.
    ///   - use: Called with the keys of each source once at the beginning, and then after each change of its files.
    init(
        sources: [KeyFileSource],
        interval: Duration = .seconds(1),
        logger: Logger,
        use: @escaping @Sendable (KeyFileSource, KeySet) async -> Void
    ) {
        watched = sources.map { Watched($0) }
        self.interval = interval
        self.logger = logger
        self.use = use
    }

    /// Watches until its task is cancelled. A hanging disk delays only its own source.
    func run() async {
        await withDiscardingTaskGroup { group in
            for source in watched { group.addTask { await watch(source) } }
        }
    }

    private func watch(_ watched: Watched) async {
        var watched = watched
        let source = watched.source
        if !Task.isCancelled { await reload(source, isChange: false) }
        while !Task.isCancelled {
            // The threads for tasks are few, and files may be slow.
            let stamps = try? await NIOThreadPool.singleton.runIfActive { Watched.look(source) }
            if let stamps, watched.changes.look(stamps) == .reload { await reload(source, isChange: true) }
            try? await Task.sleep(for: interval)
        }
    }

    /// - Parameter isChange: Whether the files are known to have changed.
    private func reload(_ source: KeyFileSource, isChange: Bool) async {
        do {
            let keys = try await NIOThreadPool.singleton.runIfActive { try source.load() }
            await use(source, keys)
            if isChange {
                logger.info("keys read anew", metadata: ["file": "\(source.path)", "keys": "\(keys.keys.count)"])
            }
        } catch {
            logger.error(
                "changed keys cannot be used; those read before stay in use",
                metadata: ["file": "\(source.path)", "error": "\(error)"]
            )
        }
    }
}
