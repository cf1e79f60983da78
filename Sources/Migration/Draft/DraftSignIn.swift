package import Tenants

/// Sign-in in a browser, with the tenant's own issuer.
package struct DraftSignIn: Sendable, Equatable {
    /// nil: Google.
    package var provider: DraftSignInProvider?
    package var clientID: DraftText
    package var clientSecret: DraftText
    package var admission = DraftAdmission()
    package var login: DraftText
    package var callback: DraftText
    package var after: DraftText
    package var logout: String
    package var userInfo: String
    package var cookie: String
    package var cookieDomain: DraftText?
    package var sameSite: DraftText?
    /// Whether browsers that open a page are led to the sign-in.
    package var leadsNavigations = true
    package var issuerURL: DraftText
    /// Durations.
    package var access: DraftText
    package var refresh: DraftText
}

/// One of `sign_in.providers`.
package struct DraftSignInProvider: Sendable, Equatable {
    package var name: String
    package var preset: PresetEntry?
    /// Needed unless the preset knows it.
    package var issuer: DraftText?
    package var keysURL: DraftText?
    /// Empty for the preset's, or the usual ones.
    package var scopes: [DraftText] = []
}

/// Who may sign in; everybody where all of it is empty.
package struct DraftAdmission: Sendable, Equatable {
    package var domains: [DraftText] = []
    package var emailsFile: DraftText?
    package var groups: [DraftText] = []
    package var groupsClaim: DraftText?

    package var isForAll: Bool { !asksForEmail && groups.isEmpty }
    /// Whether nobody is let in without a verified address.
    package var asksForEmail: Bool { !domains.isEmpty || emailsFile != nil }
}

extension DraftSignIn {
    package var accessCookie: String { "\(cookie)_access" }
    package var refreshCookie: String { "\(cookie)_refresh" }
}
