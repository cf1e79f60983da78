import Verification

/// The audience of an ID token (OpenID Connect Core 1.0 section 3.1.3.7, steps 3 to 5).
enum IDTokenAudience {
    /// Whether each audience of the token is one of `clientIDs`, and also its `azp` if that counts; with several
    /// audiences `azp` is required.
    ///
    /// - Parameter isOwnFlow: Whether the gateway itself is the client. Then an `azp` always counts; in an app's token
    ///   for its server's client, Google writes the app's ID there.
    static func isValid(_ principal: Principal, for clientIDs: [String], isOwnFlow: Bool) -> Bool {
        func isClient(_ id: String) -> Bool { clientIDs.contains { $0.utf8.elementsEqual(id.utf8) } }
        guard !principal.audiences.isEmpty, principal.audiences.allSatisfy(isClient) else { return false }
        let party = principal.claims["azp"]
        guard principal.audiences.count > 1 || isOwnFlow && party != nil else { return true }
        return party?.string.map(isClient) ?? false
    }
}
