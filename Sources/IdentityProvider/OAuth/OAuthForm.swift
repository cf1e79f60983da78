import Localization

/// Parses the form that a client posts to an endpoint of the issuer.
package enum OAuthForm {
    private static let contentType = "application/x-www-form-urlencoded"

    /// The parameters of a posted form (RFC 6749 section 3.2).
    package static func read(_ request: EndpointRequest) throws(OAuthError) -> FormFields {
        guard isForm(request) else { throw .invalidRequest("the body has to be \(contentType)") }
        return try fields(request.body)
    }

    static func isForm(_ request: EndpointRequest) -> Bool {
        let mediaType = request.fields.contentType?.prefix { $0 != ";" }.trimmingSpaces
        return mediaType?.lowercased() == contentType
    }

    static func fields(_ text: some Collection<UInt8>) throws(OAuthError) -> FormFields {
        do throws(FormFields.Problem) {
            return try FormFields(text)
        } catch {
            switch error {
            case .malformed: throw .invalidRequest("the parameters are not form-urlencoded UTF-8")
            case .repeated: throw .invalidRequest("a parameter is repeated")
            case .tooMany: throw .invalidRequest("there are too many parameters")
            }
        }
    }
}
