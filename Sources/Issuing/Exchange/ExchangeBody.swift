import Verification

/// The JSON object that an app posts to sign in, or to go on (RFC 8259).
///
/// `null` and an empty text count as left out: apps send them for what they do not have.
struct ExchangeBody: Sendable {
    private let object: JSONObject

    /// - Throws: A refusal that says what is wrong, for another media type than JSON and for what is no JSON object. No
    ///   member may be there twice: a backend that reads the same body could take the other one.
    init(_ request: EndpointRequest) throws(EndpointRefusal) {
        guard Self.isJSON(request.fields.contentType) else {
            throw .badRequest("the body has to be JSON: send Content-Type: application/json")
        }
        let value: JSONValue
        do throws(JSONParsingError) {
            value = try JSONParser.parse(request.body)
        } catch {
            throw .badRequest("the body is no JSON object, or has a member twice")
        }
        guard let object = value.object else { throw .badRequest("the body has to be a JSON object") }
        self.object = object
    }

    subscript(name: String) -> JSONValue? { object[name] }

    /// - Returns: Nil for what was left out.
    func text(_ name: String) throws(EndpointRefusal) -> String? {
        switch object[name] {
        case .string(let text)?: return text.isEmpty ? nil : text
        case nil, .null?: return nil
        case .bool?, .number?, .array?, .object?: throw .badRequest("\(name) has to be a string")
        }
    }

    /// A member that goes by two names.
    func text(_ name: String, or otherName: String) throws(EndpointRefusal) -> String? {
        guard let first = try text(name) else { return try text(otherName) }
        if let second = try text(otherName), !second.utf8.elementsEqual(first.utf8) {
            throw .badRequest("\(name) and \(otherName) differ: send one of them")
        }
        return first
    }

    /// `application/json`, or a type that is JSON by its suffix (RFC 6839 section 3.1); some apps send no type at all.
    /// What a form of another site can send without being asked, `text/plain` above all, is none of these.
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        var name = contentType.prefix { $0 != ";" }.lowercased()
        while name.last == " " || name.last == "\t" { name.removeLast() }
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }
}
