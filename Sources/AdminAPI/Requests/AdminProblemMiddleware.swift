import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

/// Turns errors of the admin API into responses, and adds the request's ID to each response.
struct AdminProblemMiddleware: RouterMiddleware {
    typealias Context = AdminContext

    /// By path.
    let methods: [String: [String]]
    let logger: Logger

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let problem as AdminProblem {
            response = Self.response(problem, context)
        } catch let error as HTTPParserError {
            // The connection cannot be used any more: its reader responds.
            throw error
        } catch let error as any HTTPResponseError where error.status == .notFound {
            response = noEndpoint(request, context)
        } catch {
            logger.error(
                "the admin API failed",
                metadata: ["error": "\(error)", "request_id": "\(context.requestID.text)"]
            )
            let problem = AdminProblem(.internalError, "the log has the cause, under this request_id")
            response = Self.response(problem, context)
        }
        response.headers[.adminRequestID] = context.requestID.text
        return response
    }

    private func noEndpoint(_ request: Request, _ context: Context) -> Response {
        guard let known = methods(request.uri.path) else {
            return Self.response(AdminProblem(.notFound, "there is nothing at this path; see /openapi.json"), context)
        }
        let allowed = known.joined(separator: ", ")
        var response = Self.response(AdminProblem(.methodNotAllowed, "this path accepts \(allowed)"), context)
        response.headers[.allow] = allowed
        return response
    }

    /// - Returns: Those of a path of the description, a part of which may be a name; nil if there is none.
    private func methods(_ path: String) -> [String]? {
        if let known = methods[path] { return known }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return methods.first { known, _ in
            let known = known.split(separator: "/", omittingEmptySubsequences: false)
            return known.count == parts.count
                && zip(known, parts).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }?.value
    }

    /// RFC 9457, with `code` and the request's ID as extensions.
    private static func response(_ problem: AdminProblem, _ context: Context) -> Response {
        var json = problem.json
        json["request_id"] = .string(context.requestID.text)
        var response = Response(json: json, status: problem.code.status, contentType: "application/problem+json")
        switch problem.code {
        case .missingToken: response.headers[.wwwAuthenticate] = "Bearer realm=\"admin\""
        case .invalidToken: response.headers[.wwwAuthenticate] = "Bearer realm=\"admin\", error=\"invalid_token\""
        case .insufficientScope:
            response.headers[.wwwAuthenticate] = "Bearer realm=\"admin\", error=\"insufficient_scope\""
        case .storeUnavailable, .tooManyStreams: response.headers[.retryAfter] = "1"
        case .tenantRefused, .preconditionRequired, .versionChanged, .hostTaken, .tenantInFile, .tenantsNotStored,
            .tooManyTenants, .noSealingKey, .badRequest, .crossSiteRequest, .unknownTenant, .notFound,
            .methodNotAllowed, .unknownAccount, .unknownPasskey, .keysElsewhere, .noIssuer, .noAccounts,
            .payloadTooLarge, .unsupportedMediaType, .configurationRefused, .internalError:
            break
        }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static var adminRequestID: Self { Self("X-Request-Id") ?? .date }
}
