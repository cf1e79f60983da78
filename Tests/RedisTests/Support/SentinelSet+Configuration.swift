import Redis
import TestSupport

extension SentinelSet {
    var configuration: RedisConfiguration {
        RedisConfiguration(servers: .sentinels(sentinels.map(\.address), masterName: Self.masterName))
    }
}

extension SentinelSet.Sentinel {
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }
}
