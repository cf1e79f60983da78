import Verification

extension TokenSigner {
    /// In bytes; verifiers refuse longer tokens.
    private static let longestToken = 16 * 1024

    /// - Returns: A token with exactly these claims and this type.
    func token(_ claims: JSONObject, as type: IssuedTokenType) throws(SigningProblem) -> String {
        let token: String
        do throws(SigningError) {
            token = try sign(claims, header: ["typ": .string(type.rawValue)])
        } catch {
            throw .notSigned(error)
        }
        guard token.utf8.count <= Self.longestToken else { throw .tooLong(token.utf8.count) }
        return token
    }
}
