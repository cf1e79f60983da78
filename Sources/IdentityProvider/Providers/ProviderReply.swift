import Verification

/// The meaning of a provider's response.
enum ProviderReply: Sendable {
    /// 200 with a JSON object.
    case object(JSONObject)
    /// The provider refuses the request (4xx), with the `error` of RFC 6749 section 5.2 if it gives one.
    case refused(error: String?)
    /// The provider's own failure; the request may be valid.
    case trouble(ProviderRequestFailure)

    init(_ response: ProviderResponse) {
        let object = try? JSONParser.parse(response.body).object
        switch (response.status, object) {
        case (200, let object?): self = .object(object)
        // Too slow or too often (RFC 9110 section 15.5.9, RFC 6585 section 4): not about the token.
        case (408, _), (429, _): self = .trouble(.unreachable)
        case (400..<500, let object): self = .refused(error: object?["error"]?.string)
        case (500..<600, _): self = .trouble(.unreachable)
        default: self = .trouble(.garbled)
        }
    }
}

extension ProviderRequests {
    func reply(to request: ProviderRequest) async -> ProviderReply {
        do throws(ProviderRequestFailure) {
            return ProviderReply(try await send(request))
        } catch {
            return .trouble(error)
        }
    }
}
