import Logging
import NIOPosix
import Tenants
import Upstream
import Verification

/// Reads the keys of files anew when the files change, and hands them on. What cannot be read is logged, and the keys
/// that were read before stay in use.
///
/// It begins by handing on what the files hold then: since the configuration was read, they may have changed.
struct KeyFileWatch: Sendable {
    private struct Watched: Sendable {
        let source: KeyFileSource
        var changes: CertificateFileChanges

        init(_ source: KeyFileSource) {
            self.source = source
            changes = CertificateFileChanges(read: Self.look(source))
        }

        /// A directory's files come and go, and the directory's own stamp tells of that.
        static func look(_ source: KeyFileSource) -> [FileStamp?] { source.watchedPaths().map { FileStamp($0) } }
    }

    private let watched: [Watched]
    private let interval: Duration
    private let logger: Logger
    private let use: @Sendable (KeyFileSource, KeySet) async -> Void

    /// - Parameters:
    ///   - interval: The time between two looks; a change is in use after two to three of it.
    ///   - use: Given the keys of each source once at the beginning, and then whenever its files have changed.
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

    /// Watches until its task is cancelled. A disk that hangs holds up its own source only.
    func run() async {
        await withDiscardingTaskGroup { group in
            for source in watched { group.addTask { await watch(source) } }
        }
    }

    private func watch(_ watched: Watched) async {
        var watched = watched
        let source = watched.source
        if !Task.isCancelled { await reload(source, isNews: false) }
        while !Task.isCancelled {
            // The threads of the tasks are few, and files may be slow.
            let stamps = try? await NIOThreadPool.singleton.runIfActive { Watched.look(source) }
            if let stamps, watched.changes.look(stamps) == .reload { await reload(source, isNews: true) }
            try? await Task.sleep(for: interval)
        }
    }

    /// - Parameter isNews: Whether the files are known to have changed.
    private func reload(_ source: KeyFileSource, isNews: Bool) async {
        do {
            let keys = try await NIOThreadPool.singleton.runIfActive { try source.load() }
            await use(source, keys)
            if isNews {
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
