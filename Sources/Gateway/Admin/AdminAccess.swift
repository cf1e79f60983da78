import HTTPTypes
import Hummingbird
import Tenants

/// Lets in who has the admin token. Without one the listener is on loopback; then requests that a page in some browser
/// could have made are refused: from another site, or for a Host that is not this machine (DNS rebinding).
struct AdminAccess: RouterMiddleware {
    typealias Context = BasicRequestContext

    private let settings: AdminSettings

    init(_ settings: AdminSettings) {
        self.settings = settings
    }

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let token = settings.token {
            guard let sent = bearer(request) else {
                throw AdminProblem(.missingToken, "send the admin token as Authorization: Bearer")
            }
            guard Secret(sent) == token else {
                throw AdminProblem(.invalidToken, "the token sent is not that of gateway.admin.token")
            }
        } else {
            guard isFromHere(request) else {
                throw AdminProblem(
                    .crossSiteRequest,
                    "without gateway.admin.token, only requests of this machine for this machine are taken"
                )
            }
        }
        return try await next(request, context)
    }

    private func bearer(_ request: Request) -> String? {
        guard let value = request.headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst(7))
    }

    private func isFromHere(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" { return false }
        guard let authority = request.head.authority else { return false }
        if let origin = request.headers[.origin], origin != "http://\(authority)" { return false }
        let host =
            authority.hasPrefix("[") ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        return HostPort(host: String(host), port: 0).isLoopback
    }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site") ?? .origin }
}
