public import Tenants

/// What happens to the whole gateway, for whoever started it.
public enum GatewayEvent: Sendable, Equatable {
    /// Every listener is open.
    case started
    /// The configuration is read anew.
    case reloading
    /// What became of that.
    case reloaded(ReloadReport)
    /// A shutdown was asked for; what is under way is finished.
    case stopping
}
