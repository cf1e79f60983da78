import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Proxy

struct LineQueueTests {
    private static let bound = 1 << 20

    private static func line(_ number: Int) -> [UInt8] {
        Array("\(number) \(String(repeating: "x", count: 1000))\n".utf8)
    }

    @Test func stuckReaderBlocksNobodyAndGetsDropCount() async throws {
        let pipe = try StuckPipe()
        defer { pipe.end() }
        let queue = LineQueue(to: pipe.writer, bound: Self.bound, notice: { Array("lost \($0)\n".utf8) })
        let count = 4000
        for number in 0..<count { queue.add(Self.line(number)) }
        let isFlushed = await queue.flush(within: .milliseconds(1))
        #expect(!isFlushed)
        let lost = queue.lost
        #expect(lost.lines > 0 && lost.lines < count)
        #expect(lost.bytes > lost.lines * 1000)

        let lines = pipe.lines()
        var (told, read, last) = (0, 0, -1)
        while told + read < count {
            let line = try await lines.next()
            if line.hasPrefix("lost ") {
                told += try #require(Int(line.dropFirst(5)))
                continue
            }
            let number = try #require(Int(line.prefix { $0 != " " }))
            #expect(number > last)
            (read, last) = (read + 1, number)
        }
        #expect(told == lost.lines)
        #expect(queue.lost == lost)
        // There is space again, and no report.
        queue.add(Self.line(count))
        #expect(try await lines.next().hasPrefix("\(count) "))
    }

    @Test func flushReturnsWhenAllIsWritten() async throws {
        let pipe = try StuckPipe()
        defer { pipe.end() }
        let queue = LineQueue(to: pipe.writer, bound: Self.bound)
        for number in 0..<500 { queue.add(Self.line(number)) }
        let lines = pipe.lines()
        let isFlushed = await queue.flush(within: .seconds(60))
        #expect(isFlushed)
        for _ in 0..<500 { _ = try await lines.next() }
        #expect(queue.lost == LineQueue.Loss(lines: 0, bytes: 0))
    }

    @Test func nonBlockingPipeIsAwaited() async throws {
        let pipe = try StuckPipe(isFull: true)
        defer { pipe.end() }
        pipe.setNonBlocking(true)
        let queue = LineQueue(to: pipe.writer, bound: Self.bound)
        for number in 0..<500 { queue.add(Self.line(number)) }
        // The first write does not fit unless the reader is faster; most of the others do.
        _ = await queue.flush(within: .milliseconds(1))
        let lines = pipe.lines()
        var number = 0
        while number < 500 {
            let line = try await lines.next()
            guard line.first?.isNumber == true else { continue }
            #expect(line.hasPrefix("\(number) "))
            number += 1
        }
        #expect(queue.lost.lines == 0)
    }

    @Test func linesLostToFullDiskAreCounted() async throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let queue = LineQueue(to: descriptor, bound: Self.bound, notice: { Array("lost \($0)\n".utf8) })
        queue.add(Array("one\ntwo\n".utf8))
        queue.add(Array("three\n".utf8))
        await queue.flush(within: .seconds(60))
        #expect(queue.lost == LineQueue.Loss(lines: 3, bytes: 14))
    }

    @Test func tornLineDoesNotCorruptOthers() async {
        let file = ShortFile(room: 3)
        let queue = LineQueue(bound: Self.bound, notice: { Array("lost \($0)\n".utf8) }, output: { file.write($0) })
        queue.add(Array("first\n".utf8))
        await queue.flush(within: .seconds(60))
        file.room.withLock { $0 = .max }
        queue.add(Array("second\n".utf8))
        await queue.flush(within: .seconds(60))
        #expect(file.text.withLock { $0 } == "fir\nlost 1\nsecond\n")
        #expect(queue.lost == LineQueue.Loss(lines: 1, bytes: 3))
    }
}

/// Accepts as many bytes as fit.
private final class ShortFile: Sendable {
    let room: Mutex<Int>
    let text = Mutex("")

    init(room: Int) { self.room = Mutex(room) }

    func write(_ bytes: [UInt8]) -> Int {
        let count = room.withLock { room in
            let count = min(room, bytes.count)
            room -= count
            return count
        }
        text.withLock { $0 += String(decoding: bytes.prefix(count), as: UTF8.self) }
        return count
    }
}
