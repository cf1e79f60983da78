import CommandSupport
import Glibc
import Synchronization

/// The access log of a demo run, without the requests that the demo makes before its lines are printed.
final class DemoLog: Sendable {
    private let isOpen = Atomic(false)

    /// Starts writing lines to standard output.
    func open() {
        isOpen.store(true, ordering: .relaxed)
    }

    func write(_ lines: [UInt8]) {
        guard isOpen.load(ordering: .relaxed) else { return }
        Terminal.write(String(decoding: lines, as: UTF8.self), to: STDOUT_FILENO)
    }
}
