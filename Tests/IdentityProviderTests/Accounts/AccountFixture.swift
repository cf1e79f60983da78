import Logging
import Store
import TestSupport
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Identities, and account repositories.
enum AccountFixture {
    static let start = UnixTime(1_800_000_000.25)

    /// A repository that links by e-mail.
    static func repository(_ store: any Store, log: RecordedLog = RecordedLog()) -> AccountRepository {
        repository(AccountRules(linkByEmail: true), store, log: log)
    }

    static func repository(
        _ rules: AccountRules,
        tenant: String = "chat",
        _ store: any Store,
        hook: AccountHook? = nil,
        providers: [SignIn.Provider]? = nil,
        confirmation: Duration? = nil,
        log: RecordedLog = RecordedLog()
    ) -> AccountRepository {
        AccountRepository(
            rules,
            tenant: tenant,
            store: store,
            hook: hook,
            providers: providers,
            confirmation: confirmation,
            logger: log.logger
        )
    }

    static func apple(
        _ subject: String = "001234.ab",
        email: String? = "alice@example.org",
        isEmailVerified: Bool = true,
        isPrivateEmail: Bool = false,
        name: String? = nil
    ) -> ProviderIdentity {
        ProviderIdentity(
            provider: .apple,
            subject: subject,
            email: email,
            isEmailVerified: isEmailVerified,
            isPrivateEmail: isPrivateEmail,
            name: name
        )
    }

    static func google(
        _ subject: String = "1098765",
        email: String? = "alice@example.org",
        isEmailVerified: Bool = true,
        name: String? = nil
    ) -> ProviderIdentity {
        ProviderIdentity(
            provider: .google,
            subject: subject,
            email: email,
            isEmailVerified: isEmailVerified,
            name: name
        )
    }
}

extension AccountRepository {
    func enter(_ identity: ProviderIdentity, givenName: String? = nil, after seconds: Double = 0) async throws
        -> Account
    {
        try await signIn(identity, givenName: givenName, at: AccountFixture.start + seconds)
    }
}
