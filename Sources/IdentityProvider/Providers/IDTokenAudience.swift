import Verification

/// Whom an ID token is for (OpenID Connect Core 1.0 section 3.1.3.7, steps 3 to 5).
enum IDTokenAudience {
    /// Whether each audience of the token is one of `clientIDs`, and so is its `azp` where it counts: where there are
    /// several audiences, it has to be there.
    ///
    /// - Parameter isOwnFlow: Whether the gateway itself is the client. Then an `azp` always counts; to an app's token
    ///   for its server's client, Google writes the app's.
    static func isGood(_ principal: Principal, for clientIDs: [String], isOwnFlow: Bool) -> Bool {
        func isClient(_ id: String) -> Bool { clientIDs.contains { $0.utf8.elementsEqual(id.utf8) } }
        guard !principal.audiences.isEmpty, principal.audiences.allSatisfy(isClient) else { return false }
        let party = principal.claims["azp"]
        guard principal.audiences.count > 1 || isOwnFlow && party != nil else { return true }
        return party?.string.map(isClient) ?? false
    }
}
