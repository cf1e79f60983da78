import Time

/// Codes that apps send beside an identity token, so that their account can be taken back at the provider.
extension ExchangeEndpoints {
    /// - Parameters:
    ///   - code: Nil if the app sent none, or the tenant keeps no tokens.
    ///   - audience: Of the identity token.
    func redeem(_ code: String?, of identity: ProviderIdentity, for session: OpenedSession, _ audience: String?) {
        guard let code else { return }
        context.grants?.redeem(code, of: identity, subject: session.subject, audience: audience)
    }
}
