import NIOPosix
public import Tenants
public import Upstream

/// Tells when the files that a configuration was read from are not as they were read, and are no longer being written.
public struct ConfigurationWatch: Sendable {
    /// How each file was found; nil where there was none.
    public typealias Stamps = [String: FileStamp?]

    /// Looks that pass before a configuration that could not be put in force is tried again.
    private static let patience = 10

    private let interval: Duration
    private let read: @Sendable () -> Stamps
    private let changed: @Sendable () async -> ReloadReport

    /// - Parameters:
    ///   - interval: The time between two looks; a change is told of after two to three of it.
    ///   - read: The files that the last reading was made of, each as it was just before it was read: what is written
    ///     meanwhile is another change.
    ///   - changed: Has them read anew.
    public init(
        interval: Duration = .seconds(1),
        read: @escaping @Sendable () -> Stamps,
        changed: @escaping @Sendable () async -> ReloadReport
    ) {
        self.interval = interval
        self.read = read
        self.changed = changed
    }

    /// Watches until its task is cancelled.
    public func run() async {
        var seen: Stamps = [:]
        var looksUntilRetry: Int?
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            let read = self.read()
            guard let now = await stamps(of: Array(read.keys)) else { continue }
            let isSettled = now == seen
            seen = now
            looksUntilRetry = looksUntilRetry.map { $0 - 1 }
            guard isSettled, now != read || looksUntilRetry == 0 else { continue }
            looksUntilRetry = await changed().mayGoWellLater ? Self.patience : nil
        }
    }

    /// The threads of the tasks are few, and a file may be on a disk that hangs.
    private func stamps(of files: [String]) async -> Stamps? {
        try? await NIOThreadPool.singleton.runIfActive {
            Dictionary(uniqueKeysWithValues: files.map { ($0, FileStamp($0)) })
        }
    }
}
