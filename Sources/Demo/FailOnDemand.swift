import HTTPTypes
import Hummingbird
import Verification

/// Responds with a requested status: `?fail=401` or `X-Sample-Fail: 401`, for statuses from 400 to 599.
struct FailOnDemand: RouterMiddleware {
    typealias Context = BasicRequestContext

    private static let field = HTTPField.Name("X-Sample-Fail")

    func handle(
        _ request: Request,
        context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        let inQuery = request.uri.queryParameters["fail"].map(String.init)
        let wanted = inQuery ?? Self.field.flatMap { request.headers[$0] }
        guard let status = wanted.flatMap({ Int($0) }), (400...599).contains(status) else {
            return try await next(request, context)
        }
        if status == 401 { return .unauthorized("failed on demand") }
        return .json(["error": "failed on demand"], status: HTTPResponse.Status(code: status))
    }
}
