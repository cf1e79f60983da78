/// How the hosted pages look, and what they say.
public struct SignInPage: Sendable, Equatable {
    /// The app's name for people; nil: the tenant's.
    public var name: String?
    /// The app's colour, `#rrggbb`; nil: Gatehouse's.
    public var color: String?
    public var logo: PageLogo?
    /// In place of the built-in texts, and in further languages; nil: none.
    public var texts: PageTexts?
}
