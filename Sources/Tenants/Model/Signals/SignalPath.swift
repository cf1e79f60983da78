/// Where a tenant takes logout tokens and security events: below `/.gatehouse`, after its path prefix.
public enum SignalPath: String, Sendable, CaseIterable {
    case backChannelLogout = "/.gatehouse/backchannel-logout"
    case signals = "/.gatehouse/signals"
}
