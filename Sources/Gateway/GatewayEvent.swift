public import Tenants

/// Events of the whole gateway, for the program that started it.
public enum GatewayEvent: Sendable, Equatable {
    /// Every listener is open.
    case started
    /// The configuration is being reloaded.
    case reloading
    /// The result of the reload.
    case reloaded(ReloadReport)
    /// A shutdown was requested; requests under way are finished.
    case stopping
}
