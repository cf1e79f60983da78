/// A provider's response, which the browser carries to the client.
public struct ProviderRedirect: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    /// Whether it is a form that the browser posts; if not, a redirect with a query.
    public let isPost: Bool
    /// The `redirect_uri`.
    public let url: String
    public let fields: [Field]

    init(isPost: Bool, url: String, fields: [(name: String, value: String)]) {
        self.isPost = isPost
        self.url = url
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// The fields as a form or query.
    public var form: String {
        FormParameters.text(of: fields.map { ($0.name, $0.value) })
    }

    public subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The redirect's target.
    var location: String { "\(url)?\(form)" }
}
