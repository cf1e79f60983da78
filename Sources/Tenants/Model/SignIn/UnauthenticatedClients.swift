/// What a browser gets that opens a page without a good token.
public enum UnauthenticatedNavigation: String, Sendable, CaseIterable {
    /// It is led to `login` of `web`, and back to the page then.
    case signIn = "sign_in"
    /// 401, like every other client.
    case refuse = "401"
}

/// What all other clients get without a good token.
public enum UnauthenticatedRequest: String, Sendable, CaseIterable {
    case refuse = "401"
}
