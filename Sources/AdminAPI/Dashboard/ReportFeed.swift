import NIOCore
import Time
import Verification

/// Sends a report to all watchers every second. One report serves all of them, and none is made without watchers.
///
/// Reports are server-sent events (HTML, section 9.2): the ID is the Unix time in milliseconds, the data is JSON on one
/// line.
actor ReportFeed {
    /// A stream ends after this time, so that its client has to authenticate again.
    private static let lifetime = Duration.seconds(600)

    private struct Watcher {
        var events: AsyncStream<ByteBuffer>.Continuation
        /// The tenant that it shows; nil if it shows none by itself.
        var tenant: String?
        var until: ContinuousClock.Instant
    }

    private let capacity: Int
    private let interval: Duration
    private let report: @Sendable (_ watched: Set<String>) async throws -> JSONObject
    private var watchers: [Int: Watcher] = [:]
    private var lastWatcher = 0
    /// Whether the timer runs.
    private var isRunning = false
    /// Whether a report is under way.
    private var isReporting = false

    /// - Parameters:
    ///   - capacity: Maximum of watchers.
    ///   - report: Makes a report that has these tenants; throws if there are no more reports.
    init(
        capacity: Int = 16,
        interval: Duration = .seconds(1),
        report: @escaping @Sendable (_ watched: Set<String>) async throws -> JSONObject
    ) {
        self.capacity = capacity
        self.interval = interval
        self.report = report
    }

    /// - Parameter tenant: The name of a tenant that the reports must have; nil for none.
    /// - Returns: A stream of events, of which slow readers miss some; nil if there are too many watchers.
    func watch(_ tenant: String? = nil) -> AsyncStream<ByteBuffer>? {
        guard watchers.count < capacity else { return nil }
        lastWatcher += 1
        let number = lastWatcher
        // Two: the reconnection time, and the latest report.
        let (stream, events) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(2))
        events.onTermination = { _ in Task { await self.leave(number) } }
        events.yield(ByteBuffer(string: "retry: 1000\n\n"))
        watchers[number] = Watcher(events: events, tenant: tenant, until: .now + Self.lifetime)
        if isRunning { makeReport() } else { run() }
        return stream
    }

    var count: Int { watchers.count }

    private func leave(_ number: Int) {
        watchers[number] = nil
    }

    private func run() {
        isRunning = true
        Task {
            while !watchers.isEmpty {
                tick()
                try? await Task.sleep(for: interval)
            }
            isRunning = false
        }
    }

    private func tick() {
        for watcher in watchers.values where watcher.until < .now { watcher.events.finish() }
        // A comment, so that the client knows that the connection is alive.
        if isReporting { send(":\n\n") } else { makeReport() }
    }

    /// Does nothing if a report is under way.
    private func makeReport() {
        guard !isReporting else { return }
        isReporting = true
        Task {
            let report = try? await report(Set(watchers.values.compactMap(\.tenant)))
            isReporting = false
            guard let report else {
                for watcher in watchers.values { watcher.events.finish() }
                return
            }
            send("id: \(Int(Clock.unix().seconds * 1000))\ndata: \(JSONWriter.text(of: .object(report)))\n\n")
        }
    }

    private func send(_ event: String) {
        let event = ByteBuffer(string: event)
        for watcher in watchers.values { watcher.events.yield(event) }
    }
}
