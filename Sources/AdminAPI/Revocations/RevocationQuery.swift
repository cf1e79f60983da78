/// The parameters of `GET /api/revocations`.
struct RevocationQuery: Equatable {
    static let parameters = ["tenant", "cursor", "limit"]
    private static let limits = 1...1000
    private static let defaultLimit = 100

    var tenant: String
    /// The end of the previous page; nil for the first.
    var cursor: String?
    var limit = defaultLimit

    /// - Parameter values: The decoded query parameters.
    init(_ values: [String: String]) throws(AdminProblem) {
        guard let tenant = values["tenant"], !tenant.isEmpty else {
            throw .badRequest("name a tenant: /api/revocations?tenant=NAME")
        }
        self.tenant = tenant
        cursor = values["cursor"]
        guard let text = values["limit"] else { return }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let limit = Int(text),
            Self.limits.contains(limit)
        else { throw .badRequest("limit must be a whole number from 1 to 1000") }
        self.limit = limit
    }
}
