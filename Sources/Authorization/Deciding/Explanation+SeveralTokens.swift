import Tenants

/// Notes on requests with tokens at several locations.
extension Explanation {
    /// Which token counts, and what happens to the others.
    func note(_ progress: SeveralTokens, _ tenant: Tenant) {
        guard let counted = progress.counted else { return }
        let places = tenant.authenticate.from
        var text = "of several tokens the one as \(places[counted].location) counts"
        let withheld = progress.withheld.map { places[$0].location }
        if !withheld.isEmpty {
            text += "; not the one as \(withheld.joined(separator: " and as ")), which is not good"
            text += tenant.mode == .observe ? "" : " and is kept from the backend"
        }
        note(.token, text, line: tenant.lines["authenticate.from[\(counted)]"] ?? tenant.lines["authenticate"])
    }

    func noteConflict(_ one: PresentedRange, _ other: PresentedRange, _ tenant: Tenant) {
        let places = tenant.authenticate.from
        note(
            .token,
            "the tokens as \(places[one.source].location) and as \(places[other.source].location) are good and of "
                + "different subjects: nobody could say whom the backend goes by",
            line: tenant.lines["authenticate.from"] ?? tenant.lines["authenticate"]
        )
    }
}
