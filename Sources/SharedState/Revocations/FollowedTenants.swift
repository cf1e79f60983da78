/// The tenants whose revocations this instance follows.
struct FollowedTenants {
    private(set) var names: [String]
    /// Tenants that a reload has added and whose revocations are not loaded yet.
    private(set) var unloaded: Set<String> = []
    /// Whether all of them were loaded at least once.
    private(set) var wereLoaded = false

    init(_ names: [String]) {
        self.names = names
    }

    /// Whether the revocations of all are loaded.
    var areLoaded: Bool { wereLoaded && unloaded.isEmpty }

    mutating func add(_ added: [String]) {
        names += added
        unloaded.formUnion(added)
    }

    /// The revocations of these were loaded. A reload may have added others meanwhile.
    mutating func loaded(_ names: [String]) {
        wereLoaded = true
        unloaded.subtract(names)
    }
}
