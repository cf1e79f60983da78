import Logging
import NIOCore
import Redis
import Store
import Tenants

/// Makes the store that `gateway.store` names.
enum StoreFactory {
    static func make(
        _ location: StoreLocation,
        group: any EventLoopGroup,
        logger: Logger
    ) -> any Store {
        switch location {
        case .memory:
            logger.warning("the store is in memory: nothing survives a restart, and no other instance sees it")
            return MemoryStore()
        case .embedded(let path):
            logger.info("store", metadata: ["file": "\(path)"])
            return EmbeddedStore(path: path, logger: logger)
        case .redis(let location):
            logger.info("store", metadata: ["redis": "\(location.label)"])
            return RedisStore(RedisConfiguration(location), eventLoopGroup: group, logger: logger)
        }
    }
}

extension RedisConfiguration {
    init(_ location: RedisLocation) {
        let addresses = location.endpoints.map { RedisAddress(host: $0.host, port: $0.port) }
        if let master = location.sentinelMaster {
            self.init(
                servers: .sentinels(
                    addresses,
                    masterName: master,
                    credentials: RedisCredentials(location.sentinelUser, location.sentinelPassword)
                )
            )
        } else {
            self.init(servers: .direct(addresses))
        }
        credentials = RedisCredentials(location.user, location.password)
        database = location.database
        tls = location.tls.map {
            RedisTLS(
                caFile: $0.caFile,
                certificateFile: $0.certificateFile,
                keyFile: $0.keyFile,
                serverName: $0.serverName
            )
        }
        clientName = "gatehouse"
    }
}

extension RedisCredentials {
    fileprivate init?(_ user: String?, _ password: Secret?) {
        guard let password else { return nil }
        self.init(user: user, password: RedisPassword(password.bytes))
    }
}
