import Store

extension MemoryStore {
    /// One whose clock stands still: nothing in it expires, however long a test has to wait for its turn.
    static var still: MemoryStore { MemoryStore(clock: { 1_800_000_000 }) }
}
