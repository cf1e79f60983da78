import Verification

extension IssuerPolicy {
    /// Puts what the issuer's tokens always have where they have it, unless a test says otherwise.
    ///
    /// - Parameter given: The claims of the test. One that is null is left out.
    func complete(_ claims: inout JSONObject, _ given: JSONObject) {
        if let place = mapping?.places[.subject]?.first { put("test", at: place, in: &claims, given) }
        if let place = mapping?.places[.audience]?.first, let audience = audiences.first {
            put(.string(audience), at: place, in: &claims, given)
        }
        for condition in conditions where !condition.allowsMissing {
            guard let value = condition.values.first else { continue }
            put(.string(value), at: condition.place, in: &claims, given)
        }
    }

    private func put(_ value: JSONValue, at place: ClaimPlace, in claims: inout JSONObject, _ given: JSONObject) {
        guard place.value(in: claims) == nil, given[place.claim] != .null else { return }
        place.put(value, in: &claims)
    }
}
