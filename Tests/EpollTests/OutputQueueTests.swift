import Glibc
import NIOCore
import TestSupport
import Testing

@testable import Epoll

@Suite struct OutputQueueTests {
    private static let marks = ChannelOptions.Types.WriteBufferWaterMark(low: 10, high: 100)

    private func queue() -> OutputQueue { OutputQueue(Self.marks) }

    @Test func queueIsWritableAgainAtTheLowMark() {
        var queue = queue()
        var promises: [EventLoopPromise<Void>] = []
        let isFull = [100, 1].map { queue.append(ByteBuffer(repeating: 1, count: $0), nil) }
        #expect(isFull == [false, true])
        #expect(!queue.isWritable)
        queue.flush()
        queue.sent(90, &promises)
        let isWritable = queue.becameWritable()
        #expect(!isWritable)
        queue.sent(1, &promises)
        let isWritableAgain = queue.becameWritable()
        #expect(isWritableAgain)
        #expect(queue.bytes == 10)
    }

    @Test func whatIsNotFlushedIsNotSent() throws {
        try withSockets { sender, receiver in
            var queue = queue()
            var promises: [EventLoopPromise<Void>] = []
            _ = queue.append(ByteBuffer(string: "one"), nil)
            queue.flush()
            _ = queue.append(ByteBuffer(string: "two"), nil)
            let count = queue.send(to: sender)
            queue.sent(count, &promises)
            #expect(!queue.hasFlushed && !queue.isEmpty)
            #expect(read(receiver, atMost: 100) == Array("one".utf8))
        }
    }

    @Test func partOfABufferLeavesTheRestAndABlockedQueue() {
        var queue = queue()
        var promises: [EventLoopPromise<Void>] = []
        for text in ["one", "two", "three"] { _ = queue.append(ByteBuffer(string: text), nil) }
        queue.flush()
        queue.sent(4, &promises)
        #expect(queue.isBlocked)
        #expect(queue.bytes == 7)
    }

    /// Against a list of bytes, through a socket that is full now and then.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func bytesArriveWholeAndInOrder(seed: UInt64) throws {
        try withSockets { sender, receiver in
            var random = SplitMix64(seed: seed)
            var queue = queue()
            var promises: [EventLoopPromise<Void>] = []
            var (expected, received): ([UInt8], [UInt8]) = ([], [])
            for _ in 0..<500 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let bytes = (0..<Int.random(in: 0..<3_000, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
                    expected += bytes
                    _ = queue.append(ByteBuffer(bytes: bytes), nil)
                case 2:
                    queue.flush()
                    guard queue.hasFlushed else { continue }
                    let count = queue.send(to: sender)
                    #expect(count >= 0 || errno == EAGAIN)
                    if count >= 0 { queue.sent(count, &promises) }
                default: received += read(receiver, atMost: .random(in: 1..<20_000, using: &random))
                }
            }
            queue.flush()
            while queue.hasFlushed {
                let count = queue.send(to: sender)
                if count >= 0 { queue.sent(count, &promises) }
                received += read(receiver, atMost: 1 << 20)
            }
            received += read(receiver, atMost: 1 << 20)
            #expect(queue.bytes == 0)
            #expect(received == expected)
        }
    }

    private func withSockets(_ body: (_ sender: CInt, _ receiver: CInt) throws -> Void) throws {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        defer { for descriptor in pair { close(descriptor) } }
        try body(pair[0], pair[1])
    }

    private func read(_ descriptor: CInt, atMost most: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &bytes, most, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
