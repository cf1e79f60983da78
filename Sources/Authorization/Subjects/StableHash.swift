/// Hashes that are the same on every loop, in every process and after every restart, so that all of them send a key to
/// the same server. They are not secure: a client that chooses the key can choose the server.
package enum StableHash {
    /// FNV-1a (Fowler, Noll and Vo), with its weak high bits mixed.
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return mixed(hash)
    }

    /// Every bit of the value affects every bit of the result (the finalizer of SplitMix64).
    package static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
