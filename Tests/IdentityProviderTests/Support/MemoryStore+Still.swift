import Store

extension MemoryStore {
    /// A store whose clock does not advance: nothing expires, however slow the test is.
    static var still: MemoryStore { MemoryStore(clock: { 1_800_000_000 }) }
}
