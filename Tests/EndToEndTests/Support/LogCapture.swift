import Dispatch
import Logging
import Synchronization
import TestSupport

/// The log of the gateway as text.
final class LogCapture: Sendable {
    private let lines = Mutex<[String]>([])
    private let halt = Mutex<Halt?>(nil)

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func logger() -> Logger {
        Logger(label: "fixture") { _ in Handler(capture: self) }
    }

    /// Blocks the thread that next logs a line with `text` until the halt ends: an event loop, so that several events
    /// become pending at once.
    func halt(at text: String) -> Halt {
        let made = Halt(text)
        halt.withLock { $0 = made }
        return made
    }

    private func add(_ line: String) {
        lines.withLock { $0.append(line) }
        let reached = halt.withLock { halt -> Halt? in
            guard let found = halt, line.contains(found.text) else { return nil }
            halt = nil
            return found
        }
        reached?.wait()
    }

    final class Halt: Sendable {
        fileprivate let text: String
        private let reached: Mailbox<Void>
        private let ended = DispatchSemaphore(value: 0)

        fileprivate init(_ text: String) {
            self.text = text
            reached = Mailbox("a log line with \"\(text)\"")
        }

        /// Returns once a thread is blocked.
        func isReached() async throws { try await reached.next() }

        func end() { ended.signal() }

        fileprivate func wait() {
            reached.put(())
            // A failed test must not hang the gateway.
            _ = ended.wait(timeout: .now() + .seconds(30))
        }
    }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, given in given }
            capture.add("\(event.level) \(event.message) \(all)")
        }
    }
}
