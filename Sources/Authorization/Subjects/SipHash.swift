/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012): a keyed hash that is fast on tokens, and in
/// which clients cannot produce collisions.
struct SipHash: Sendable {
    private let key0: UInt64
    private let key1: UInt64

    init(key0: UInt64, key1: UInt64) {
        self.key0 = key0
        self.key1 = key1
    }

    static func withRandomKey() -> SipHash {
        var generator = SystemRandomNumberGenerator()
        return SipHash(key0: generator.next(), key1: generator.next())
    }

    /// - Parameter seed: Mixed into the key, so that the same bytes hash differently for each tenant.
    func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> (UInt64, UInt64) {
        var state = State(key0 ^ seed, key1)
        let raw = bytes.bytes
        let whole = bytes.count & ~7
        var position = 0
        while position < whole {
            state.absorb(UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while position < bytes.count {
            last |= UInt64(bytes[position]) << shift
            shift += 8
            position += 1
        }
        state.absorb(last)
        return state.finish()
    }

    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key0: UInt64, _ key1: UInt64) {
            v0 = key0 ^ 0x736f_6d65_7073_6575
            v1 = key1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
            v2 = key0 ^ 0x6c79_6765_6e65_7261
            v3 = key1 ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> (UInt64, UInt64) {
            v2 ^= 0xee
            round()
            round()
            round()
            round()
            let first = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xdd
            round()
            round()
            round()
            round()
            return (first, v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v0 = v0 << 32 | v0 >> 32
            v2 = v2 &+ v3
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 = v0 &+ v3
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 = v2 &+ v1
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
