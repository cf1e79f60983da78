/// The status of one remote key set, for metrics and the dashboard.
public struct KeySetStatus: Sendable, Equatable {
    /// ``RemoteKeySource/label``.
    public var label: String
    /// Since the last success of any instance; nil while there is no set.
    public var ageSeconds: Double?
    public var numberOfKeys: Int
    /// Whether it is in use although it is no longer fresh.
    public var isStale: Bool
    /// Why the last fetch failed; nil if it succeeded.
    public var lastError: String?
}
