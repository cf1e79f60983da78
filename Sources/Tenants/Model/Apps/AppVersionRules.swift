public import ConfigurationText

/// Which versions of a tenant's app are served.
public struct AppVersionRules: Sendable, Equatable {
    /// The field in which the app says its version; lower case.
    public var header: String
    /// Older ones are refused; nil: none.
    public var minimum: AppVersion?
    /// Older ones are told of a newer one; nil: none.
    public var recommended: AppVersion?
    public var store: AppStore
    /// Requests for other paths have no version.
    public var paths: [PathPattern]
    public var line: SourceLine

    public init(
        header: String,
        minimum: AppVersion?,
        recommended: AppVersion? = nil,
        store: AppStore = AppStore(),
        paths: [PathPattern],
        line: SourceLine = 0
    ) {
        self.header = header
        self.minimum = minimum
        self.recommended = recommended
        self.store = store
        self.paths = paths
        self.line = line
    }
}

/// Where an app is updated, by platform; nil where that was not given.
public struct AppStore: Sendable, Equatable {
    public var ios: String?
    public var android: String?

    public init(ios: String? = nil, android: String? = nil) {
        self.ios = ios
        self.android = android
    }
}
