internal import GRPCCore

/// `envoy.service.auth.v3.Authorization`: converts Envoy's queries and the replies.
struct AuthorizationService: Envoy_Service_Auth_V3_Authorization.SimpleServiceProtocol {
    let authorizer: any CheckHandler

    func check(
        request: Envoy_Service_Auth_V3_CheckRequest,
        context: ServerContext
    ) async throws -> Envoy_Service_Auth_V3_CheckResponse {
        // Other peers were refused before (``TrustedPeers``).
        guard let peer = Self.address(context.remotePeer) else {
            throw RPCError(code: .permissionDenied, message: "only proxies that are trusted are answered")
        }
        return await authorizer.decide(QueriedRequest(request), for: peer).message
    }

    /// The address in a peer's description: `ipv4:192.0.2.1:8080` or `ipv6:[2001:db8::1]:8080`.
    static func address(_ description: String) -> String? {
        guard let kind = description.firstIndex(of: ":"), let port = description.lastIndex(of: ":"), kind < port else {
            return nil
        }
        let address = description[description.index(after: kind)..<port]
        switch description[..<kind] {
        case "ipv4": return String(address)
        case "ipv6" where address.first == "[" && address.last == "]": return String(address.dropFirst().dropLast())
        default: return nil
        }
    }
}
