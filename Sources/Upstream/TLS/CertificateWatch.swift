package import Logging
import NIOPosix

/// Reloads certificates when their files change. If reading fails, that is logged, and the previous ones stay in use;
/// existing connections keep theirs.
///
/// Make it before the files are first read: a change between the two is then found by the first checks.
package struct CertificateWatch<Loaded: Sendable>: Sendable {
    private let files: [String]
    private let changes: CertificateFileChanges
    private let interval: Duration
    private let logger: Logger
    private let load: @Sendable () throws(CertificateProblem) -> Loaded
    private let use: @Sendable (Loaded) async -> Void

    /// - Parameters:
    ///   - files: All files that `load` reads.
    ///   - interval: The time between two checks; a change takes effect after two to three of them.
    ///   - load: Reads them. It may block: it has a thread.
    ///   - use: Puts the loaded certificates into use.
    package init(
        files: [String],
        interval: Duration = .seconds(1),
        logger: Logger,
        load: @escaping @Sendable () throws(CertificateProblem) -> Loaded,
        use: @escaping @Sendable (Loaded) async -> Void
    ) {
        self.files = files
        changes = CertificateFileChanges(read: files.map { FileStamp($0) })
        self.interval = interval
        self.logger = logger
        self.load = load
        self.use = use
    }

    /// Watches until its task is cancelled.
    package func run() async {
        var changes = self.changes
        while !Task.isCancelled {
            let files = self.files
            // A disk may hang, and the threads for tasks are few.
            let stamps = try? await NIOThreadPool.singleton.runIfActive { files.map { FileStamp($0) } }
            if let stamps, changes.look(stamps) == .reload { await reload() }
            try? await Task.sleep(for: interval)
        }
    }

    private func reload() async {
        do {
            let load = self.load
            let loaded = try await NIOThreadPool.singleton.runIfActive { try load() }
            await use(loaded)
            logger.info("certificates read anew", metadata: ["files": "\(files.count)"])
        } catch {
            let file = (error as? CertificateProblem)?.file ?? ""
            logger.error(
                "changed certificates cannot be used; those read before stay in use",
                metadata: ["file": "\(file)", "error": "\(error)"]
            )
        }
    }
}
