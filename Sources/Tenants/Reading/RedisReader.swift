/// Reads a Redis address, and the files that it names.
enum RedisReader {
    /// - Returns: nil where it cannot be read, which was reported without showing it.
    static func read(
        _ scalar: DocumentNode.Scalar,
        _ scheme: RedisURL.Scheme,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> RedisLocation? {
        let url: RedisURL
        do throws(ScalarText.Problem) {
            url = try RedisURL(scalar.text, scheme)
        } catch {
            session.findings.error(place, "\"store\" is no address of Redis: \(error.remedy)")
            return nil
        }
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
        func node(_ option: RedisURL.Option) -> DocumentNode? {
            url.options[option].map { text in
                var part = scalar
                part.text = text
                return DocumentNode(place: place, content: .scalar(part))
            }
        }
        if let authorities = node(.caFile) {
            _ = CertificatePair.certificates(authorities, name: "ca_file", &session)
        }
        switch (node(.certificateFile), node(.keyFile)) {
        case (let certificate?, let key?):
            let nodes = CertificatePair.Nodes(certificate: certificate, key: key)
            _ = CertificatePair.check(nodes, refused: "Redis refuses it", &session)
        case (.some, nil):
            session.findings.error(
                place,
                "\"certificate_file\" without its key: add \"key_file\", or leave it out"
            )
        case (nil, .some):
            session.findings.error(
                place,
                "\"key_file\" without its certificate: add \"certificate_file\", or leave it out"
            )
        case (nil, nil): break
        }
        return RedisTLS(
            caFile: url.options[.caFile].map(session.resolve),
            certificateFile: url.options[.certificateFile].map(session.resolve),
            keyFile: url.options[.keyFile].map(session.resolve),
            serverName: node(.serverName).flatMap { BackendTLSReader.readServerName($0, &session) }
        )
    }
}
