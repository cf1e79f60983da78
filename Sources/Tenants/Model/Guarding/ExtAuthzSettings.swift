/// Where Envoy asks by gRPC (`envoy.service.auth.v3.Authorization`). Only `trusted_proxies` are answered.
public struct ExtAuthzSettings: Sendable, Equatable {
    public var address: HostPort
}
