import Redis
import TestSupport

extension RedisServer {
    /// In the clear.
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }
}
