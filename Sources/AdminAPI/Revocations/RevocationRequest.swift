import ConfigurationText
import Tenants
import Verification

/// The body of `POST` and `DELETE /api/revocations`, well formed but not checked against the tenant.
struct RevocationRequest: Equatable {
    /// What to refuse.
    enum Selector: Equatable {
        /// A whole token.
        case token(Secret)
        /// The `jti` of a token of any of the tenant's issuers.
        case tokenID(String)
        /// Every token with this `sub`.
        case subject(String)
        /// Every token with this `sid`.
        case session(String)
        /// Every token of the tenant.
        case all
    }

    var tenant: String
    var selector: Selector
    /// How long the revocation is kept; nil: as long as the selector needs.
    var lifetime: Duration?
    /// For people.
    var reason: String?
}

extension RevocationRequest {
    /// Maximum bytes of a `jti`, `sub` or `sid`.
    private static let maximumIDBytes = 1024
    /// Maximum Unicode scalars of a reason.
    private static let maximumReasonLength = 200
    private static let maximumLifetime = Duration.seconds(10 * 365 * 86_400)
    private static let selectors = ["token", "jti", "subject", "session", "all"]
    private static let members = ["tenant"] + selectors + ["for", "reason"]

    /// Reads a body. Errors repeat nothing of it: it may have a token.
    init(json body: [UInt8]) throws(AdminProblem) {
        let object = try Self.object(body)
        tenant = try Self.name("tenant", object)
        selector = try Self.selector(object)
        lifetime = try Self.lifetime(object)
        reason = try Self.reason(object)
    }

    private static func object(_ body: [UInt8]) throws(AdminProblem) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONParser.parse(body)
        } catch {
            throw .badRequest("the body is not valid JSON: \(error.remedy)")
        }
        guard case .object(let object) = value else { throw .badRequest("the body must be a JSON object") }
        guard object.members.allSatisfy({ members.contains($0.name) }) else {
            throw .badRequest("the body has an unknown member; known members are \(list(members, "and"))")
        }
        return object
    }

    private static func selector(_ object: JSONObject) throws(AdminProblem) -> Selector {
        let given = selectors.filter { object[$0] != nil }
        guard given.count == 1 else {
            let found = given.isEmpty ? "none is given" : "\(list(given, "and")) are given"
            throw .badRequest("give exactly one of \(list(selectors, "and")); \(found)")
        }
        switch given[0] {
        case "token":
            guard let token = object["token"]?.string, !token.isEmpty else {
                throw .badRequest("\"token\" must be a compact token")
            }
            return .token(Secret(token))
        case "jti": return .tokenID(try name("jti", object))
        case "subject": return .subject(try name("subject", object))
        case "session": return .session(try name("session", object))
        default:
            guard object["all"] == true else { throw .badRequest("\"all\" must be true") }
            return .all
        }
    }

    private static func name(_ member: String, _ object: JSONObject) throws(AdminProblem) -> String {
        guard let value = object[member] else { throw .badRequest("\"\(member)\" is missing") }
        guard let text = value.string else { throw .badRequest("\"\(member)\" must be a string") }
        guard !text.isEmpty else { throw .badRequest("\"\(member)\" is empty") }
        guard text.utf8.count <= maximumIDBytes else {
            throw .badRequest("\"\(member)\" is longer than \(maximumIDBytes) bytes")
        }
        return text
    }

    private static func lifetime(_ object: JSONObject) throws(AdminProblem) -> Duration? {
        guard let value = object["for"] else { return nil }
        guard let text = value.string else { throw .badRequest("\"for\" must be a string like \"30d\"") }
        let lifetime: Duration
        do {
            lifetime = try ScalarText.duration(text)
        } catch {
            throw .badRequest("\"for\" is no duration: \(error.text)")
        }
        guard lifetime > .zero, lifetime <= maximumLifetime else {
            throw .badRequest("\"for\" must be more than 0 and at most 3650d; leave it out to revoke for good")
        }
        return lifetime
    }

    private static func reason(_ object: JSONObject) throws(AdminProblem) -> String? {
        guard let value = object["reason"] else { return nil }
        guard let text = value.string else { throw .badRequest("\"reason\" must be a string") }
        guard text.unicodeScalars.count <= maximumReasonLength else {
            throw .badRequest("\"reason\" is longer than \(maximumReasonLength) characters")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw .badRequest("\"reason\" has control characters")
        }
        return text
    }

    private static func list(_ names: [String], _ conjunction: String) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}

extension JSONParsingError {
    fileprivate var remedy: String {
        switch self {
        case .malformed(let position): "look at byte \(position + 1)"
        case .duplicateMember: "a member is there twice"
        case .tooDeep: "it is nested too deep"
        case .notUnicode: "a string is not Unicode"
        case .numberOutOfRange: "a number is too large"
        }
    }
}
