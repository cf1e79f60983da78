extension AccountRecord {
    func has(_ passkey: [UInt8]) -> Bool { account.passkeys.contains { $0.credential.id == passkey } }

    /// The first of its logins, as far as it is known.
    var firstIdentity: ProviderIdentity? {
        links.first.map { link in
            ProviderIdentity(
                provider: link.identity.provider,
                subject: link.identity.subject,
                email: link.email ?? account.email,
                isEmailVerified: link.email != nil,
                isPrivateEmail: account.isPrivateEmail,
                name: account.name
            )
        }
    }
}
