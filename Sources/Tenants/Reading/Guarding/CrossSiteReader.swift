import ConfigurationText

/// Reads `csrf`. Origins that `cors` allows credentials are trusted too: their scripts may call with any method.
enum CrossSiteReader {
    /// - Parameter crossOrigin: Of the same tenant.
    static func read(
        _ tenant: DocumentNode,
        _ crossOrigin: CrossOriginRules?,
        _ session: ReadingSession
    ) -> CrossSiteRules {
        let entry = tenant.entry(Schema.tenant.csrf)
        var origins = OriginText.read(entry?.value[Schema.csrf.trustedOrigins]?.items ?? [], session)
        if let crossOrigin, crossOrigin.allowsCredentials {
            origins += crossOrigin.origins.filter { !origins.contains($0) }
        }
        let mode = session.mode(
            Schema.csrf.mode,
            of: entry?.value,
            "lets other sites' pages act with a visitor's cookies"
        )
        return CrossSiteRules(trustedOrigins: origins, mode: mode, line: entry?.keyPosition.sourceLine ?? 0)
    }
}
