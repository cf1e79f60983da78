import NIOCore
import Testing

@testable import Proxy

/// The output buffer that all connections of a loop share, one at a time.
struct SharedOutputTests {
    private final class Owner: SharedOutputOwner {
        private(set) var kept = ByteBuffer()

        func keepOutput(_ bytes: ByteBuffer) { kept.writeImmutableBuffer(bytes) }
    }

    private let output = SharedOutput(ByteBufferAllocator())

    @Test func ownerKeepsBytesWhenBufferIsReassigned() {
        let (first, second) = (Owner(), Owner())
        output.take(for: first)
        output.bytes.writeString("first")
        output.take(for: second)
        #expect(String(buffer: first.kept) == "first", "the first owner keeps its bytes and does not write them now")
        #expect(output.bytes.readableBytes == 0 && output.owner === second)
        output.bytes.writeString("second")
        output.take(for: first)
        #expect(String(buffer: second.kept) == "second" && String(buffer: first.kept) == "first")
    }

    @Test func ownerContinuesAfterTakingBufferAgain() {
        let owner = Owner()
        output.take(for: owner)
        output.bytes.writeString("a")
        output.take(for: owner)
        output.bytes.writeString("b")
        #expect(String(buffer: output.bytes) == "ab" && owner.kept.readableBytes == 0)
    }

    @Test func onlyOwnerReleasesBuffer() {
        let (owner, other) = (Owner(), Owner())
        output.take(for: owner)
        output.release(other)
        #expect(output.owner === owner)
        output.release(owner)
        output.take(for: other)
        #expect(output.owner === other && owner.kept.readableBytes == 0)
    }

    @Test func contentStaysWhileItIsWritten() throws {
        let (owner, other) = (Owner(), Owner())
        var contents: [ByteBuffer] = []
        for text in ["first", "second", "third"] {
            output.take(for: owner)
            output.bytes.writeString(text)
            #expect(output.takeContent(of: other) == nil && output.owner === owner)
            contents.append(try #require(output.takeContent(of: owner)))
            #expect(output.owner == nil && output.takeContent(of: owner) == nil)
        }
        #expect(contents.map { String(buffer: $0) } == ["first", "second", "third"])
        #expect(owner.kept.readableBytes == 0)
    }

    @Test func memoryIsUsedAgainOnceContentIsWritten() throws {
        let owner = Owner()
        func address(_ text: String) throws -> UnsafeRawPointer? {
            output.take(for: owner)
            output.bytes.writeString(text)
            return try #require(output.takeContent(of: owner)).withUnsafeReadableBytes { $0.baseAddress }
        }
        let addresses = try ["first", "second", "third", "fourth"].map(address)
        #expect(addresses[0] == addresses[2] && addresses[1] == addresses[3] && addresses[0] != addresses[1])
    }
}
