import Foundation
import Glibc
import Synchronization

/// A pipe that is not read until a test wants it: writers block once it is full.
package final class StuckPipe: Sendable {
    package struct Failure: Error {
        package var code = errno
    }

    package let writer: CInt
    private let reader: CInt
    private let isRead = Atomic(false)

    /// - Parameter isFull: Whether it is full from the start.
    package init(isFull: Bool = false) throws {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure() }
        (reader, writer) = (ends[0], ends[1])
        // Programs that other tests start meanwhile must not hold it open.
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw Failure() }
        if isFull {
            setNonBlocking(true)
            // A pipe is filled by pages; the last byte fills the rest of one.
            let page = [UInt8](repeating: UInt8(ascii: "x"), count: 4095) + [UInt8(ascii: "\n")]
            while write(writer, page, page.count) > 0 {}
            while write(writer, "\n", 1) > 0 {}
            setNonBlocking(false)
        }
    }

    package func setNonBlocking(_ isSet: Bool) {
        _ = fcntl(writer, F_SETFL, isSet ? O_NONBLOCK : 0)
    }

    /// Begins to read, until every writer has closed it. To be called once.
    package func lines() -> Mailbox<String> {
        isRead.store(true, ordering: .relaxed)
        let lines = Mailbox<String>("a line of a pipe")
        // A thread of its own may block.
        Thread.detachNewThread { [reader] in
            var unfinished: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(reader, &piece, piece.count)
                guard count > 0 else { break }
                var start = unfinished.count
                unfinished += piece[..<count]
                var begin = 0
                while let end = unfinished[start...].firstIndex(of: UInt8(ascii: "\n")) {
                    lines.put(String(decoding: unfinished[begin..<end], as: UTF8.self))
                    (begin, start) = (end + 1, end + 1)
                }
                unfinished.removeSubrange(..<begin)
            }
            lines.finish(EndOfStream())
            _ = close(reader)
        }
        return lines
    }

    /// What is still to be written is read: a writer whose reader has gone is ended by a signal.
    package func end() {
        if !isRead.load(ordering: .relaxed) { _ = lines() }
        _ = close(writer)
    }
}
