import NIOPosix
public import Tenants
public import Upstream

/// Reports when the files of a configuration have changed since they were read, and are no longer being written.
public struct ConfigurationWatch: Sendable {
    /// The state of each file; nil if it did not exist.
    public typealias Stamps = [String: FileStamp?]

    /// Checks before a configuration that could not be put into force is tried again.
    private static let patience = 10

    private let interval: Duration
    private let read: @Sendable () -> Stamps
    private let changed: @Sendable () async -> ReloadReport

    /// - Parameters:
    ///   - interval: The time between two checks; a change is reported after two to three of them.
    ///   - read: The files of the last reading, each as it was just before it was read: later writes are another
    ///     change.
    ///   - changed: Reloads them.
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
        var checksUntilRetry: Int?
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard !Task.isCancelled else { return }
            let read = self.read()
            guard let now = await stamps(of: Array(read.keys)) else { continue }
            let isSettled = now == seen
            seen = now
            checksUntilRetry = checksUntilRetry.map { $0 - 1 }
            guard isSettled, now != read || checksUntilRetry == 0 else { continue }
            checksUntilRetry = await changed().mayRetry ? Self.patience : nil
        }
    }

    /// The threads for tasks are few, and a file may be on a disk that hangs.
    private func stamps(of files: [String]) async -> Stamps? {
        try? await NIOThreadPool.singleton.runIfActive {
            Dictionary(uniqueKeysWithValues: files.map { ($0, FileStamp($0)) })
        }
    }
}
