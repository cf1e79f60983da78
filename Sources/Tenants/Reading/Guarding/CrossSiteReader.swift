/// Reads `csrf`, and what of `cors` it bears on: an origin whose scripts may call with cookies may do so with any method.
enum CrossSiteReader {
    /// - Parameter crossOrigin: Of the same tenant.
    static func read(
        _ tenant: DocumentNode,
        _ crossOrigin: CrossOriginRules?,
        _ session: inout ReadingSession
    ) -> CrossSiteRules {
        let entry = tenant.entry("csrf")
        var origins = OriginText.read(entry?.value["trusted_origins"]?.items ?? [], &session)
        if let crossOrigin, crossOrigin.allowsCredentials {
            origins += crossOrigin.origins.filter { !origins.contains($0) }
        }
        let mode = entry?.value.text("mode").flatMap(Tenant.Mode.init(rawValue:)) ?? .enforce
        if mode == .observe, let place = entry?.value["mode"]?.place {
            session.findings.warning(
                place,
                "mode observe lets other sites' pages act with a visitor's cookies: use it for a migration only"
            )
        }
        return CrossSiteRules(trustedOrigins: origins, mode: mode, line: entry?.keyPlace.line ?? 0)
    }
}
