import Counting
import HTTPCore

/// The page about a refusal's code, to which `type` of a problem document leads (RFC 9457 section 3.1.1). Every tenant
/// has it, without a token: it tells nothing about the tenant.
struct ProblemPage: Equatable {
    /// What the URI reference of a page begins with, relative to the request's; its code follows.
    static let prefix: StaticString = "/.gatehouse/problems/"

    let code: RefusalCode

    init(_ code: RefusalCode) { self.code = code }

    /// - Parameters:
    ///   - method: Of the request; only GET and HEAD get a page.
    ///   - target: In origin form (RFC 9112 section 3.2.1).
    /// - Returns: Nil if the target is not that of a page.
    init?(_ method: CountedMethod, target: Span<UInt8>) {
        guard method == .get || method == .head, let name = Self.name(target) else { return nil }
        guard let code = RefusalCode(rawValue: name) else { return nil }
        self.code = code
    }

    private static func name(_ target: Span<UInt8>) -> String? {
        let start = prefix.utf8CodeUnitCount
        let longest = 32
        guard target.count > start, target.count <= start + longest else { return nil }
        let text = target.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return text.hasPrefix(prefix.description) ? String(text.dropFirst(start)) : nil
    }

    var response: GatewayResponse {
        let text = "\(code.title)\n\nCode: \(code.rawValue)\n\n\(code.meaning)\n\nWhat to do: \(code.remedy)\n"
        var response = GatewayResponse(status: 200, body: Array(text.utf8))
        response.contentType = "text/plain; charset=utf-8"
        response.fields = [
            HeaderField("Cache-Control", "public, max-age=86400"), HeaderField("X-Content-Type-Options", "nosniff"),
        ]
        return response
    }
}

extension RefusalCode {
    /// What happened, for the developer of a client. docs/troubleshooting.md has more, for operators.
    fileprivate var meaning: String {
        switch self {
        case .missingToken: "This path needs a token, and the request had none where the app expects it."
        case .invalidToken: "The token failed a check: \"detail\" of the response says which."
        case .tokenExpired: "The token was good until the time in its claim \"exp\"."
        case .tokenRevoked: "The token, its session, its user or all tokens of the app were revoked."
        case .insufficientScope: "The token lacks a scope: WWW-Authenticate of the response names what is needed."
        case .insufficientRole: "The user is signed in, and has none of the roles that this path needs."
        case .unknownHost: "No app has this host and path, or the connection was opened for another app."
        case .noRoute: "None of the app's routes is for this path and method."
        case .ambiguousPath: "Servers could read this path in different ways."
        case .rateLimited: "More requests were sent than the app allows."
        case .crossSiteRequest: "A page of another site sent the request with the user's cookies."
        case .payloadTooLarge: "The body is longer than the app allows."
        case .backendUnavailable: "No server of the app could be reached, or it broke off."
        case .backendTimeout: "The app took the request and did not answer in time. It may have carried it out."
        case .overloaded: "The app or the gateway has too much to do."
        case .storeUnavailable: "Whether the token is still good cannot be known at the moment."
        case .badRequest: "The request violates HTTP, came too slowly, or has several tokens: see \"detail\"."
        case .notAllowed: "The provider knows who signs in, and the app lets only some people in."
        case .conflictingTokens: "The request has good tokens of different subjects, for example a header and a cookie."
        case .upgradeRequired: "This version of the app is older than its service still supports."
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .missingToken: "sign in, and send the access token, usually as \"Authorization: Bearer TOKEN\"."
        case .invalidToken: "get a token from this app's own sign-in. Do not repeat the request with the same token."
        case .tokenExpired: "refresh the session, and repeat the request with the new token."
        case .tokenRevoked: "sign in again."
        case .insufficientScope: "ask for the scope when getting a token."
        case .insufficientRole: "ask an administrator of the app for the role, then sign in again."
        case .unknownHost: "check the address. With status 421, connect anew for this host."
        case .noRoute: "check the path, or add a route or a backend named default to tenants.yaml."
        case .ambiguousPath: "send the path without dot segments, and percent-encode each byte once."
        case .rateLimited: "wait as long as Retry-After says."
        case .crossSiteRequest: "send the request from the app's own pages."
        case .payloadTooLarge: "send less."
        case .backendUnavailable, .overloaded, .storeUnavailable:
            "wait as long as Retry-After says, or a second, and repeat the request."
        case .backendTimeout: "look whether it was carried out before you repeat it."
        case .badRequest: "correct the client."
        case .notAllowed: "sign in with another account, or ask those who run the app."
        case .conflictingTokens: "send one of the tokens: drop the header of another account, or sign out of it."
        case .upgradeRequired: "ask the user to update the app; \"upgrade_url\" of the response says where."
        }
    }
}
