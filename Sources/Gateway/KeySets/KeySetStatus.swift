/// How it stands with one remote key set, for metrics and the dashboard.
struct KeySetStatus: Sendable, Equatable {
    /// ``RemoteKeySource/label``.
    var label: String
    /// Since the provider was last heard of, by this instance or another; nil while there is no set.
    var ageSeconds: Double?
    var numberOfKeys: Int
    /// Whether it is in use beyond its time, because there is no newer one to be had.
    var isStale: Bool
    /// Why the last fetch failed; nil once one has worked.
    var lastError: String?
}
