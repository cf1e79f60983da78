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
        #expect(output.bytes.readableBytes == 0 && output.isOwned(by: second))
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
        #expect(output.isOwned(by: owner))
        output.release(owner)
        output.take(for: other)
        #expect(!output.isOwned(by: owner) && owner.kept.readableBytes == 0)
    }
}
