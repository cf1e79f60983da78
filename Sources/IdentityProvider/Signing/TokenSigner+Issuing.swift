import Verification

extension TokenSigner {
    /// A longer token is refused by who verifies it.
    private static let longestToken = 16 * 1024

    /// - Returns: A token with exactly these claims, which says that it is of this type.
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
