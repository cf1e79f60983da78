import TestSupport

extension SentinelSet {
    /// The value for `gateway.store`.
    var url: String {
        let addresses = sentinels.map { "127.0.0.1:\($0.port)" }
        return "redis+sentinel://\(addresses.joined(separator: ","))/\(Self.masterName)/0"
    }
}
