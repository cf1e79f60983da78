import Authorization
import HTTPCore
import NIOCore
import SharedState

/// Replaces the old tokens in a request's head with new ones, so that the rest of the request path sees a request that
/// came with them.
struct HeadRewriter {
    private var changes: [(range: Range<Int>, value: [UInt8])] = []
    /// The ranges of `changes`, as a set: a client may send one cookie thousands of times.
    private var changed: Set<Range<Int>> = []

    /// - Parameter range: In the head, in any order. Where two overlap (a client may nest one token in another), the
    ///   one that starts first wins, and of two with the same start the longer one.
    mutating func replace(_ range: Range<Int>, with value: [UInt8]) {
        changes.append((range, value))
        changed.insert(range)
    }

    /// Replaces every copy of the old token: one token given twice may be accepted, two different ones are refused.
    mutating func replaceAll(_ old: [UInt8], with new: [UInt8], _ head: RequestHead, _ bytes: Span<UInt8>) {
        var pattern = BytePattern(old)
        var start = 0
        while let found = pattern.firstIndex(in: bytes, start..<head.length) {
            start = found + old.count
            replace(found..<start, with: new)
        }
    }

    /// Replaces the values of cookies in all Cookie fields.
    mutating func replaceCookies(_ cookies: [Renewal.Cookie], _ head: RequestHead, _ bytes: Span<UInt8>) {
        for index in 0..<head.fieldCount where head.fields[index].known == .cookie {
            Cookies.forEach(bytes, head.fields[index].value) { pair in
                guard let cookie = cookies.first(where: { bytes.isEqual(pair.name, to: $0.name) }),
                    !changed.contains(pair.value)
                else { return }
                replace(pair.value, with: cookie.value)
            }
        }
    }

    /// Drops `Expect`: the body of a replayed request is already here, so no 100 is needed.
    mutating func dropExpectation(_ head: RequestHead) {
        for index in 0..<head.fieldCount where head.fields[index].known == .expect {
            replace(head.fields[index].line, with: [])
        }
    }

    private var inOrder: [(range: Range<Int>, value: [UInt8])] {
        changes.sorted { one, other in
            let (start, otherStart) = (one.range.lowerBound, other.range.lowerBound)
            return start != otherStart ? start < otherStart : one.range.upperBound > other.range.upperBound
        }
    }

    /// - Parameter bytes: The head's bytes, from its start.
    func rewritten(_ head: RequestHead, _ bytes: Span<UInt8>) -> ByteBuffer {
        var out = ByteBuffer()
        out.reserveCapacity(head.length + changes.reduce(0) { $0 + $1.value.count })
        var position = 0
        for change in inOrder where change.range.lowerBound >= position {
            out.writeBytes(bytes.extracting(position..<change.range.lowerBound).bytes)
            out.writeBytes(change.value)
            position = change.range.upperBound
        }
        out.writeBytes(bytes.extracting(position..<head.length).bytes)
        return out
    }
}
