/// The listener for Envoy's gRPC queries (`envoy.service.auth.v3.Authorization`) from `trusted_proxies`.
public struct ExtAuthzSettings: Sendable, Equatable {
    public var address: HostPort
}
