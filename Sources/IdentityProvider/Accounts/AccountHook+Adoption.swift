package import Time
package import Verification

extension AccountHook {
    /// Whose a session of a former issuer becomes.
    package struct AdoptionDecision: Sendable {
        package let subject: String
        /// Nil to apply the tenant's rules.
        package let role: String?
        package let claims: JSONObject
    }

    /// Asks whose a session of a former issuer becomes.
    ///
    /// - Parameters:
    ///   - issuer: The former one.
    ///   - subject: Of its token.
    ///   - claims: What of its token goes over.
    package func adopt(
        issuer: String,
        subject: String,
        claims: JSONObject,
        at now: UnixTime
    ) async throws(AccountProblem) -> AdoptionDecision {
        var question = opening
        if let role = rules.role { question["role"] = .string(role) }
        question["method"] = "adoption"
        question["issuer"] = .string(issuer)
        question["subject"] = .string(subject)
        question["email"] = claims["email"]
        question["email_verified"] = .bool(claims["email_verified"] == .bool(true))
        question["claims"] = .object(claims)
        question["time"] = .wholeSeconds(now)
        let response = try decision(of: try await send(JSONWriter.bytes(of: question), at: now))
        return AdoptionDecision(subject: response.subject, role: response.role, claims: response.claims)
    }
}
