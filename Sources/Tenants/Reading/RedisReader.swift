/// Reads a Redis address, and the files that it names.
enum RedisReader {
    /// - Returns: nil where it cannot be read, which was reported without showing it.
    static func read(
        _ scalar: DocumentNode.Scalar,
        _ scheme: RedisURL.Scheme,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> RedisLocation? {
        let read = session.value(at: place, "\"store\" is no address of Redis") { () throws(ScalarText.Problem) in
            try RedisURL(scalar.text, scheme)
        }
        guard let url = read else { return nil }
        let location = RedisLocation(
            endpoints: url.endpoints,
            sentinelMaster: url.master,
            user: url.user,
            password: url.password.map { Secret($0) },
            sentinelUser: url.options[.sentinelUser],
            sentinelPassword: url.options[.sentinelPassword].map { Secret($0) },
            database: url.database,
            tls: scheme.isSecure ? readTLS(url, scalar, place, &session) : nil
        )
        warnOfClearPassword(location, scheme, place, &session)
        return location
    }

    /// What Sentinels answer may be any address, so theirs are judged.
    private static func warnOfClearPassword(
        _ location: RedisLocation,
        _ scheme: RedisURL.Scheme,
        _ place: Place,
        _ session: inout ReadingSession
    ) {
        guard location.tls == nil, location.password != nil || location.sentinelPassword != nil,
            !location.endpoints.allSatisfy(\.isLoopback)
        else { return }
        let secure = scheme.isSentinel ? RedisURL.Scheme.redissSentinel : .rediss
        session.findings.warning(
            place,
            "the password of \"store\" crosses the network in clear: write \(secure.rawValue)://, or keep Redis on "
                + "this machine"
        )
    }

    private static func readTLS(
        _ url: RedisURL,
        _ scalar: DocumentNode.Scalar,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> RedisTLS {
        /// An option as a value of its own, to be read like any other that names a file.
        func entry(_ option: RedisURL.Option) -> DocumentNode.Entry? {
            url.options[option].map { text in
                var part = scalar
                part.text = text
                let node = DocumentNode(place: place, content: .scalar(part))
                return DocumentNode.Entry(key: option.rawValue, keyPlace: place, value: node)
            }
        }
        if let authorities = entry(.caFile)?.value {
            _ = CertificatePair.certificates(authorities, name: RedisURL.Option.caFile.rawValue, &session)
        }
        CertificatePair.check(
            entry(.certificateFile),
            entry(.keyFile),
            refused: "Redis refuses it",
            &session
        )
        return RedisTLS(
            caFile: url.options[.caFile].map(session.resolve),
            certificateFile: url.options[.certificateFile].map(session.resolve),
            keyFile: url.options[.keyFile].map(session.resolve),
            serverName: (entry(.serverName)?.value).flatMap { BackendTLSReader.readServerName($0, &session) }
        )
    }
}
