public import Verification

/// Whom or what a security event is about (RFC 9493 section 3), with the complex subjects of the Shared Signals Framework
/// 1.0 section 3, and the older forms that name their `subject_type` inside the event.
public indirect enum SubjectIdentifier: Sendable, Equatable {
    /// `iss_sub`, or `id_token_claims` of older transmitters: an issuer and its `sub`.
    case issuerAndSubject(issuer: String, subject: String)
    /// `opaque`: a name that the transmitter and we know without an issuer.
    case opaque(String)
    case email(String)
    /// `account`: an `acct` URI (RFC 7565).
    case account(String)
    case phoneNumber(String)
    /// `jwt_id`: one token.
    case tokenID(issuer: String, tokenID: String)
    /// Several identifiers of one subject.
    case aliases([SubjectIdentifier])
    /// A user, or one session of a user; nil for members that are not there. Other members narrow the event down to a
    /// device or an application, which are not told apart here.
    case complex(user: SubjectIdentifier?, session: SubjectIdentifier?)
    /// Another format, or a complex subject that is neither a user nor a session.
    case unsupported
}

/// Why a subject cannot be read.
public enum SubjectProblem: Error, Sendable, Equatable {
    /// It has no `format`, or that is no text.
    case noFormat
    /// A member that its format needs is missing, not a text, empty or too long.
    case badMember(String)
    /// More than ``SubjectIdentifier/mostAliases``, none, or aliases among them.
    case badAliases
    /// Subjects in subjects in subjects.
    case tooDeep
}

extension SubjectIdentifier {
    /// The longest text in a subject, in bytes.
    public static let longestText = 1024
    /// The most aliases of one subject.
    public static let mostAliases = 16
    private static let mostLevels = 3
    private static let complexMembers = ["user", "session", "device", "application", "tenant", "org_unit", "group"]

    /// Reads a subject.
    ///
    /// - Parameter object: `sub_id` of a token, or `subject` of an event.
    public init(_ object: JSONObject) throws(SubjectProblem) {
        try self.init(object, levels: Self.mostLevels)
    }

    private init(_ object: JSONObject, levels: Int) throws(SubjectProblem) {
        guard levels > 0 else { throw .tooDeep }
        switch try Self.format(of: object) {
        case "iss_sub", "id_token_claims":
            self = .issuerAndSubject(issuer: try Self.text("iss", object), subject: try Self.text("sub", object))
        case "opaque": self = .opaque(try Self.text("id", object))
        case "email": self = .email(try Self.text("email", object))
        case "account": self = .account(try Self.text("uri", object))
        case "phone_number":
            let member = object["phone_number"] == nil && object["phone"] != nil ? "phone" : "phone_number"
            self = .phoneNumber(try Self.text(member, object))
        case "jwt_id":
            self = .tokenID(issuer: try Self.text("iss", object), tokenID: try Self.text("jti", object))
        case "aliases": self = try Self.aliases(object, levels)
        case "complex":
            let user = try Self.member("user", object, levels)
            let session = try Self.member("session", object, levels)
            self = user == nil && session == nil ? .unsupported : .complex(user: user, session: session)
        default: self = .unsupported
        }
    }

    /// Older transmitters write `subject_type`, with a hyphen or not, and leave it out for complex subjects.
    private static func format(of object: JSONObject) throws(SubjectProblem) -> String {
        guard let value = object["format"] ?? object["subject_type"] else {
            guard object.members.contains(where: { complexMembers.contains($0.name) }) else { throw .noFormat }
            return "complex"
        }
        guard let format = value.string else { throw .noFormat }
        return format.replacing("-", with: "_")
    }

    private static func text(_ name: String, _ object: JSONObject) throws(SubjectProblem) -> String {
        guard let text = object[name]?.string, (1...longestText).contains(text.utf8.count) else {
            throw .badMember(name)
        }
        return text
    }

    private static func member(
        _ name: String,
        _ object: JSONObject,
        _ levels: Int
    ) throws(SubjectProblem) -> SubjectIdentifier? {
        guard let value = object[name] else { return nil }
        guard let member = value.object else { throw .badMember(name) }
        return try SubjectIdentifier(member, levels: levels - 1)
    }

    private static func aliases(_ object: JSONObject, _ levels: Int) throws(SubjectProblem) -> SubjectIdentifier {
        guard case .array(let elements)? = object["identifiers"], (1...mostAliases).contains(elements.count) else {
            throw .badAliases
        }
        var aliases: [SubjectIdentifier] = []
        for element in elements {
            guard let member = element.object else { throw .badAliases }
            let alias = try SubjectIdentifier(member, levels: levels - 1)
            // RFC 9493 section 3.2.8.
            if case .aliases = alias { throw .badAliases }
            aliases.append(alias)
        }
        return .aliases(aliases)
    }
}
