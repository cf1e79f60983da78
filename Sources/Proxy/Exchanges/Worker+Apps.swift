import Authorization
import HTTPCore

/// What is noted and counted of the apps that requests come from.
extension Worker {
    /// For a tenant with a page for refusals or with `app_version`, on each pass of a decision; a version is counted once.
    func noteApp(
        _ record: inout ExchangeRecord,
        _ finding: AppVersionFinding?,
        _ rules: ResponseHeaderRules,
        _ head: RequestHead,
        _ bytes: Span<UInt8>
    ) {
        if rules.hasRefusalPage { record.request.prefersHTML = PreferredForm.isHTML(head, bytes) }
        guard let finding, !record.request.isVersionCounted, let tenant = record.tenant else { return }
        record.request.isVersionCounted = true
        telemetry.counters.count(tenant: tenant.index, appVersion: finding.count)
    }

    /// Counts a request of which a later token counts, since those before it are stale.
    func countPassedOver(_ tokens: SeveralTokens, of tenant: TenantRuntime) {
        guard !tokens.isCounted, let counted = tokens.counted, tokens.withheld.contains(where: { $0 < counted }) else {
            return
        }
        tokens.isCounted = true
        telemetry.counters.countStaleToken(tenant: tenant.index)
    }
}
