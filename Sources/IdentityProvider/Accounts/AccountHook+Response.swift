import Verification

extension AccountHook {
    /// The decision of the hook.
    struct Response: Sendable, Equatable {
        private static let longestSubject = 255
        private static let longestRole = 64
        /// In bytes of JSON. The claims go into every token, and so into every request.
        private static let longestClaims = 4096

        let subject: String
        /// Nil to apply the tenant's rules.
        let role: String?
        let claims: JSONObject

        init(subject: String, role: String? = nil, claims: JSONObject = JSONObject()) {
            self.subject = subject
            self.role = role
            self.claims = claims
        }

        /// Reads `{ "subject", "role"?, "claims"? }`. A null counts as absent; further members are ignored.
        init(_ body: [UInt8]) throws(Fault) {
            let value: JSONValue
            do throws(JSONParsingError) {
                value = try JSONParser.parse(body)
            } catch {
                throw .noJSON
            }
            guard let object = value.object else { throw .noObject }
            guard let subject = object["subject"]?.string, Self.isName(subject, bytes: Self.longestSubject) else {
                throw .subject
            }
            self.subject = subject
            role = try Self.role(object["role"])
            claims = try Self.claims(object["claims"])
        }

        private static func role(_ value: JSONValue?) throws(Fault) -> String? {
            guard let value, value != .null else { return nil }
            guard let role = value.string, isName(role, bytes: longestRole) else { throw .role }
            return role
        }

        private static func claims(_ value: JSONValue?) throws(Fault) -> JSONObject {
            guard let value, value != .null else { return JSONObject() }
            guard let claims = value.object else { throw .claims }
            for name in claims.members.map(\.name) where AccessTokenClaims.reserved.contains(name) {
                throw .reservedClaim(name)
            }
            let length = JSONWriter.bytes(of: claims).count
            guard length <= longestClaims else { throw .tooManyClaims(bytes: length) }
            return claims
        }

        /// Names go into request fields and logs.
        private static func isName(_ text: String, bytes: Int) -> Bool {
            !text.isEmpty && text.utf8.count <= bytes
                && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
    }
}

extension AccountHook.Response {
    /// Why a hook's response is invalid; for its operator.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case noJSON
        case noObject
        case subject
        case role
        case claims
        case reservedClaim(String)
        case tooManyClaims(bytes: Int)

        var description: String {
            switch self {
            case .noJSON: "it is not JSON (RFC 8259)"
            case .noObject: "it is not a JSON object"
            case .subject:
                "subject must be a string of 1 to \(AccountHook.Response.longestSubject) bytes, no control characters"
            case .role:
                "role must be a string of 1 to \(AccountHook.Response.longestRole) bytes, no control characters"
            case .claims: "claims must be an object"
            case .reservedClaim(let name): "claims has \(name), which only the issuer sets"
            case .tooManyClaims(let bytes):
                "claims are \(bytes) bytes of JSON, more than \(AccountHook.Response.longestClaims)"
            }
        }
    }
}
