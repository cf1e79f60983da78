import Verification

/// The JSON object that an app posts to sign in, or to refresh (RFC 8259).
///
/// `null` and an empty string count as omitted: apps send them for values that they lack. What a backend might read
/// differently is refused, since it may read the same body.
struct ExchangeBody: Sendable {
    private let object: JSONObject

    /// - Parameter names: The members that are read by the gateway or a backend.
    /// - Throws: A refusal that says what is wrong, for a media type other than JSON and for a body that is no JSON
    ///   object; a body without a media type is read as JSON. No member may occur twice, nor one whose name differs
    ///   from one of `names` only in case.
    init(_ request: EndpointRequest, members names: [String]) throws(EndpointRefusal) {
        if let type = request.fields.contentType, !JSONMediaType.isUTF8(type) {
            throw .badRequest("the body has to be JSON in UTF-8: send Content-Type: application/json")
        }
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONParser.parse(request.body)
        } catch {
            throw .badRequest("the body is not a JSON object, or repeats a member")
        }
        guard let object = value.object else { throw .badRequest("the body has to be a JSON object") }
        let folded = names.map(Self.folded)
        for member in object.members {
            guard let index = folded.firstIndex(of: Self.folded(member.name)) else { continue }
            guard names[index].utf8.elementsEqual(member.name.utf8) else {
                throw .badRequest("a member's name differs from \(names[index]) only in case: use that name exactly")
            }
        }
        self.object = object
    }

    subscript(name: String) -> JSONValue? { object[name] }

    /// - Returns: Nil if omitted.
    func text(_ name: String) throws(EndpointRefusal) -> String? {
        switch object[name] {
        case .string(let text)?: return text.isEmpty ? nil : text
        case nil, .null?: return nil
        case .bool?, .number?, .array?, .object?: throw .badRequest("\(name) has to be a string")
        }
    }

    /// A member with two possible names.
    func text(_ name: String, or otherName: String) throws(EndpointRefusal) -> String? {
        guard let first = try text(name) else { return try text(otherName) }
        if let second = try text(otherName), !second.utf8.elementsEqual(first.utf8) {
            throw .badRequest("\(name) and \(otherName) differ: send one of them")
        }
        return first
    }

    /// A body may have an e-mail address that the token lacks, but not a different one: a backend that uses the body's
    /// would sign in the wrong user.
    func checkEmail(_ identity: ProviderIdentity) throws(EndpointRefusal) {
        guard let claimed = try text("email"), identity.isEmailVerified, let verified = identity.email else { return }
        guard claimed.utf8.elementsEqual(verified.utf8, by: { $0.lowercasedASCII == $1.lowercasedASCII }) else {
            throw .invalidToken("email is not the one in the token")
        }
    }

    /// A name as case-insensitive readers see it: to some of them the long s and the Kelvin sign equal ASCII letters.
    private static func folded(_ name: String) -> [UInt8] {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\u{17F}": scalars.append("s")
            case "\u{212A}": scalars.append("k")
            default: scalars.append(scalar)
            }
        }
        return String(scalars).utf8.map(\.lowercasedASCII)
    }
}
