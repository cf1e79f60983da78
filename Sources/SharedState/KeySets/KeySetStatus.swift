/// How it stands with one remote key set, for metrics and the dashboard.
public struct KeySetStatus: Sendable, Equatable {
    /// ``RemoteKeySource/label``.
    public var label: String
    /// Since the provider was last heard of, by this instance or another; nil while there is no set.
    public var ageSeconds: Double?
    public var numberOfKeys: Int
    /// Whether it is in use beyond its time, because there is no newer one to be had.
    public var isStale: Bool
    /// Why the last fetch failed; nil once one has worked.
    public var lastError: String?
}
