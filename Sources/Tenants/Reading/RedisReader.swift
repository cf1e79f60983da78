import ConfigurationText

/// Reads a Redis address, and the files that it names.
enum RedisReader {
    /// - Returns: nil if it cannot be read, which was reported without showing it.
    static func read(
        _ scalar: DocumentNode.Scalar,
        _ scheme: RedisURL.Scheme,
        _ position: Position,
        _ session: ReadingSession
    ) -> RedisLocation? {
        let fault = "\"store\" is no address of Redis"
        guard let url = session.at(position).value(of: try RedisURL(scalar.text, scheme), or: fault) else { return nil }
        let location = RedisLocation(
            endpoints: url.endpoints,
            sentinelMaster: url.master,
            user: url.user,
            password: url.password.map { Secret($0) },
            sentinelUser: url.options[.sentinelUser],
            sentinelPassword: url.options[.sentinelPassword].map { Secret($0) },
            database: url.database,
            tls: scheme.isSecure ? readTLS(url, scalar, position, session) : nil
        )
        warnOfClearPassword(location, scheme, position, session)
        return location
    }

    /// Checks the addresses of the Sentinels: the master that they name may be anywhere.
    private static func warnOfClearPassword(
        _ location: RedisLocation,
        _ scheme: RedisURL.Scheme,
        _ position: Position,
        _ session: ReadingSession
    ) {
        guard location.tls == nil, location.password != nil || location.sentinelPassword != nil,
            !location.endpoints.allSatisfy(\.isLoopback)
        else { return }
        let secure = scheme.isSentinel ? RedisURL.Scheme.redissSentinel : .rediss
        session.at(position).warning(
            "the password of \"store\" crosses the network in clear: write \(secure.rawValue)://, or keep Redis on "
                + "this machine"
        )
    }

    private static func readTLS(
        _ url: RedisURL,
        _ scalar: DocumentNode.Scalar,
        _ position: Position,
        _ session: ReadingSession
    ) -> RedisTLS {
        /// An option as an entry, to be read like a key of the file.
        func entry(_ option: RedisURL.Option) -> DocumentNode.Entry? {
            url.options[option].map { text in
                var part = scalar
                part.text = text
                let node = DocumentNode(position: position, content: .scalar(part))
                return DocumentNode.Entry(key: option.rawValue, keyPosition: position, value: node)
            }
        }
        if let authorities = entry(.caFile)?.value {
            _ = CertificatePair.certificates(authorities, name: RedisURL.Option.caFile.rawValue, session)
        }
        CertificatePair.check(entry(.certificateFile), entry(.keyFile), refused: "Redis refuses it", session)
        return RedisTLS(
            caFile: url.options[.caFile].map(session.resolve),
            certificateFile: url.options[.certificateFile].map(session.resolve),
            keyFile: url.options[.keyFile].map(session.resolve),
            serverName: (entry(.serverName)?.value).flatMap { BackendTLSReader.readServerName($0, session) }
        )
    }
}
