/// Where a message is cut when it is read as it comes in pieces.
package enum Cuts {
    /// Each place in the first 512 bytes, and 64 more: to read a long message anew from each of its bytes takes too long.
    package static func of(_ count: Int) -> [Int] {
        let first = min(count, 512)
        let further = stride(from: first, to: count, by: max(1, (count - first) / 64))
        return Array(0..<first) + further + [count]
    }
}
