import HTTPTypes
import SharedState

/// What a write expects to be there: `If-Match` with an ETag, or `If-None-Match: *` (RFC 9110 section 13.1).
enum TenantCondition {
    /// - Throws: `precondition_required` if there is neither.
    static func read(_ fields: HTTPFields) throws(AdminProblem) -> StoredTenantWrite.Condition {
        let (match, noneMatch) = (fields[.ifMatch], fields[.ifNoneMatch])
        switch (match, noneMatch) {
        case (let match?, nil):
            guard let tag = tag(match) else {
                throw .badRequest("If-Match takes one ETag, as GET gives it: \"7-1f9c03ab5d2e4c60\", with its quotes")
            }
            return .tag(tag)
        case (nil, let noneMatch?):
            guard noneMatch == "*" else { throw .badRequest("If-None-Match takes * for a tenant that is new") }
            return .absent
        case (nil, nil):
            throw AdminProblem(
                .preconditionRequired,
                "send If-Match with the ETag of the version that you have seen, or If-None-Match: * for a new tenant"
            )
        case (_?, _?): throw .badRequest("send If-Match or If-None-Match, not both")
        }
    }

    /// An ETag without its quotes; nil if it is weak, or no single one.
    private static func tag(_ value: String) -> String? {
        guard value.count > 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return nil }
        let tag = value.dropFirst().dropLast()
        return tag.contains("\"") ? nil : String(tag)
    }
}
