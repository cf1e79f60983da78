import ConfigurationText

/// Checks the parts of `sign_in` against each other: what one of them trusts must not be what anybody can say.
struct SignInCheck {
    /// `sign_in`.
    let node: DocumentNode

    func check(_ signIn: SignIn, _ session: ReadingSession) {
        for provider in signIn.named {
            guard case .openID(let service) = provider.service, service.isOfSeveralDirectories,
                let section = node[Schema.signIn.providers]?.entry(named: provider.name)
            else { continue }
            checkDirectories(provider, section, signIn.who, session)
        }
        checkLegacyBody(signIn, session)
        checkPasskeys(signIn, session)
    }

    /// Which groups somebody is in only a provider says.
    private func checkPasskeys(_ signIn: SignIn, _ session: ReadingSession) {
        guard signIn.passkeys != nil, signIn.who?.groups.isEmpty == false,
            let groups = node[Schema.signIn.who]?.entry(Schema.who.groups)
        else { return }
        session.at(groups).error(
            "nobody's groups are known who signs in with a passkey, so that none of them would get in: leave \"passkeys\" out, or "
                + "let people in by their e-mail"
        )
    }

    /// Whoever has a directory of their own says what roles and groups its users have.
    private func checkDirectories(
        _ provider: NamedProvider,
        _ section: DocumentNode.Entry,
        _ who: SignInAdmission?,
        _ session: ReadingSession
    ) {
        let reason = "anybody can make a directory of their own, and says there"
        if let claim = provider.claims.first(where: { ["role", "roles"].contains($0.name) }) {
            let place = section.value[Schema.namedProvider.claims]?.entry(named: claim.name) ?? section
            session.at(place).error(
                "\(reason) who has which role: leave \"\(claim.name)\" out, or name one directory in \"issuer\""
            )
        }
        if who?.groups.isEmpty == false, let groups = node[Schema.signIn.who]?.entry(Schema.who.groups) {
            session.at(groups).error(
                "\(reason) who is in which group, and \"\(provider.name)\" takes all directories: let people in by "
                    + "\"emails_file\", or name one directory in \"issuer\""
            )
        }
    }

    /// It names a user and proves nothing, so that nobody knows whom `who` would let in.
    private func checkLegacyBody(_ signIn: SignIn, _ session: ReadingSession) {
        guard signIn.who != nil, let legacy = signIn.apple?.legacyBody, legacy != .deny,
            let entry = node[Schema.signIn.apple]?.entry(Schema.apple.legacyUserIdentifier)
        else { return }
        session.at(entry).error("\"who\" lets in only some, and such a body lets in anybody: write deny")
    }
}
