/// Where a message is cut when it is read as it comes in pieces.
package enum Cuts {
    /// Each index in the first 512 bytes and 64 more: reading a long message once per index takes too long.
    package static func of(_ count: Int) -> [Int] {
        let first = min(count, 512)
        let further = stride(from: first, to: count, by: max(1, (count - first) / 64))
        return Array(0..<first) + further + [count]
    }
}
