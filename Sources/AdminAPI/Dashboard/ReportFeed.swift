import NIOCore
import Time
import Verification

/// Tells everybody who watches how the gateway is doing, each second: a report is made once however many watch, and none
/// while nobody does.
///
/// What is told are server-sent events (HTML, section 9.2): an ID, which is the Unix time in milliseconds, and a report
/// as JSON in one line.
actor ReportFeed {
    /// A stream ends after so long: whoever goes on watching shows again that it may.
    private static let lifetime = Duration.seconds(600)

    private struct Watcher {
        var events: AsyncStream<ByteBuffer>.Continuation
        var until: ContinuousClock.Instant
    }

    private let capacity: Int
    private let interval: Duration
    private let report: @Sendable () async throws -> JSONObject
    private var watchers: [Int: Watcher] = [:]
    private var lastWatcher = 0
    /// Whether reports are being made.
    private var isRunning = false
    /// Whether a report is under way.
    private var isAsking = false

    /// - Parameters:
    ///   - capacity: How many may watch at a time.
    ///   - report: Throws when there will be no more.
    init(
        capacity: Int = 16,
        interval: Duration = .seconds(1),
        report: @escaping @Sendable () async throws -> JSONObject
    ) {
        self.capacity = capacity
        self.interval = interval
        self.report = report
    }

    /// - Returns: Events, of which a slow reader misses some; nil if too many watch already.
    func watch() -> AsyncStream<ByteBuffer>? {
        guard watchers.count < capacity else { return nil }
        lastWatcher += 1
        let number = lastWatcher
        // Two: how to come back, and the newest report.
        let (stream, events) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(2))
        events.onTermination = { _ in Task { await self.leave(number) } }
        events.yield(ByteBuffer(string: "retry: 1000\n\n"))
        watchers[number] = Watcher(events: events, until: .now + Self.lifetime)
        if isRunning { ask() } else { run() }
        return stream
    }

    /// How many watch.
    var count: Int { watchers.count }

    private func leave(_ number: Int) {
        watchers[number] = nil
    }

    private func run() {
        isRunning = true
        Task {
            while !watchers.isEmpty {
                beat()
                try? await Task.sleep(for: interval)
            }
            isRunning = false
        }
    }

    private func beat() {
        for watcher in watchers.values where watcher.until < .now { watcher.events.finish() }
        // A comment, by which the other side knows that somebody is there.
        if isAsking { tell(":\n\n") } else { ask() }
    }

    /// Does nothing if a report is under way.
    private func ask() {
        guard !isAsking else { return }
        isAsking = true
        Task {
            let report = try? await report()
            isAsking = false
            guard let report else {
                for watcher in watchers.values { watcher.events.finish() }
                return
            }
            tell("id: \(Int(Clock.unix().seconds * 1000))\ndata: \(JSONWriter.text(of: .object(report)))\n\n")
        }
    }

    private func tell(_ event: String) {
        let event = ByteBuffer(string: event)
        for watcher in watchers.values { watcher.events.yield(event) }
    }
}
