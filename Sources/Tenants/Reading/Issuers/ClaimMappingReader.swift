import ConfigurationText
import Verification

/// Reads `claims` and `require_values` of an issuer: where its tokens have what the gateway goes by, and what they must
/// have.
struct ClaimMappingReader {
    /// The entry of `issuers`.
    let node: DocumentNode

    /// - Parameter known: The places of a preset, which those of the entry replace field by field.
    /// - Returns: nil if everything is in the claims of that name.
    func mapping(replacing known: [ClaimMapping.Field: [ClaimPlace]] = [:], _ session: ReadingSession) -> ClaimMapping?
    {
        var mapping = ClaimMapping(known)
        let section = node[Schema.trustedIssuer.claims]
        for field in ClaimMapping.Field.allCases {
            guard let value = section?[named: field.rawValue] else { continue }
            mapping.places[field] = places(value, field, session)
        }
        mapping.rolesPrefix = section.read(Schema.claims.rolesPrefix) ?? ""
        if !mapping.rolesPrefix.isEmpty, mapping.places[.roles] == nil {
            mapping.places[.roles] = ["role", "roles"].compactMap(ClaimPlace.init)
        }
        return mapping.places.isEmpty ? nil : mapping
    }

    private func places(
        _ value: DocumentNode,
        _ field: ClaimMapping.Field,
        _ session: ReadingSession
    ) -> [ClaimPlace] {
        var places: [ClaimPlace] = []
        for item in value.scalar == nil ? value.items : [value] {
            guard let place = ClaimPlaceReader.read(item, name: field.rawValue, session) else { continue }
            if places.contains(place) {
                session.at(item).error("\(item.shown) is listed twice: leave one out")
                continue
            }
            places.append(place)
        }
        return places
    }

    /// - Parameter known: Those of a preset, which the entry's replace.
    func conditions(replacing known: [ClaimCondition] = [], _ session: ReadingSession) -> [ClaimCondition] {
        guard let section = node[Schema.trustedIssuer.requireValues] else { return known }
        let name = Schema.trustedIssuer.requireValues.name
        return section.entries.compactMap { entry in
            guard let place = ClaimPlaceReader.read(entry, name: name, session) else { return nil }
            let items = entry.value.scalar == nil ? entry.value.items : [entry.value]
            return ClaimCondition(place, items.compactMap { $0.scalar?.text })
        }
    }
}
