public import Time

/// Keeps what Apple and Google give with sign-ins until the account is deleted; made by a module above this one.
public protocol ProviderGrantKeeping: Sendable {
    /// Keeps the token of a sign-in. A failure is logged: the person is signed in all the same.
    func keep(
        _ given: GivenToken?,
        of identity: ProviderIdentity,
        forSubject subject: String,
        at now: UnixTime
    ) async

    /// Redeems an app's code beside its sign-in.
    ///
    /// - Parameter audience: Of the identity token.
    func redeem(_ text: String, of identity: ProviderIdentity, subject: String, audience: String?)

    /// Waits for the codes of somebody who has just signed in, so that what they give is taken back with the rest; no
    /// longer than somebody waits for a response.
    func settle(_ subject: String) async
}
