package import Logging
import NIOPosix

/// Reads certificates anew when their files change, and hands them on. What cannot be read is logged, and what was read
/// before stays in use; connections keep what they began with.
///
/// Make it before the files are first read: a change between the two is then found by the first looks.
package struct CertificateWatch<Loaded: Sendable>: Sendable {
    private let files: [String]
    private let changes: CertificateFileChanges
    private let interval: Duration
    private let logger: Logger
    private let load: @Sendable () throws(CertificateProblem) -> Loaded
    private let use: @Sendable (Loaded) async -> Void

    /// - Parameters:
    ///   - files: All files that `load` reads.
    ///   - interval: The time between two looks; a change is in use after two to three of it.
    ///   - load: Reads them. It may block: it has a thread.
    ///   - use: Puts what was read in the place of what was in use.
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
            // A file may be on a disk that hangs; the threads of the tasks are few.
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
