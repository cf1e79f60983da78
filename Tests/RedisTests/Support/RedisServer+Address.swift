import Redis
import TestSupport

extension RedisServer {
    /// Without TLS.
    var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }
}
