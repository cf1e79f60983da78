import NIOPosix

/// Tells when the files that a configuration was read from have changed, and are no longer being written.
public struct ConfigurationWatch: Sendable {
    private let interval: Duration
    private let files: @Sendable () -> [String]
    private let changed: @Sendable () async -> Void

    /// - Parameters:
    ///   - interval: The time between two looks; a change is told of after two to three of it.
    ///   - files: Those that the last reading was made of.
    ///   - changed: Has them read anew.
    public init(
        interval: Duration = .seconds(1),
        files: @escaping @Sendable () -> [String],
        changed: @escaping @Sendable () async -> Void
    ) {
        self.interval = interval
        self.files = files
        self.changed = changed
    }

    /// Watches until its task is cancelled.
    public func run() async {
        var watched = files()
        var changes = CertificateFileChanges(read: await stamps(watched) ?? [])
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            let now = files()
            if now != watched {
                // Somebody else had them read anew.
                watched = now
                if let stamps = await stamps(watched) { changes = CertificateFileChanges(read: stamps) }
                continue
            }
            guard let stamps = await stamps(watched), changes.look(stamps) == .reload else { continue }
            await changed()
        }
    }

    /// The threads of the tasks are few, and a file may be on a disk that hangs.
    private func stamps(_ files: [String]) async -> [FileStamp?]? {
        try? await NIOThreadPool.singleton.runIfActive { files.map { FileStamp($0) } }
    }
}
