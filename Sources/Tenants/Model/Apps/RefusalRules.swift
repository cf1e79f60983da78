/// A tenant's own form and texts of what the gateway refuses.
public struct RefusalRules: Sendable, Equatable {
    /// Of the body; nil: a problem document (RFC 9457).
    public var json: RefusalTemplate?
    /// Of the body for clients that prefer HTML; nil: they get the other one.
    public var html: RefusalTemplate?
    /// By the refusal's code.
    public var texts: [String: Text]

    public struct Text: Sendable, Equatable {
        /// nil: the gateway's.
        public var title: String?
        /// nil: the gateway's.
        public var detail: String?

        public init(title: String? = nil, detail: String? = nil) {
            self.title = title
            self.detail = detail
        }
    }

    public init(json: RefusalTemplate? = nil, html: RefusalTemplate? = nil, texts: [String: Text] = [:]) {
        self.json = json
        self.html = html
        self.texts = texts
    }

    /// The codes of refusals, each of which may have a text.
    public static let codes =
        TenantTest.codes + [
            "payload_too_large", "backend_unavailable", "backend_timeout", "overloaded", "not_allowed",
        ]
}
