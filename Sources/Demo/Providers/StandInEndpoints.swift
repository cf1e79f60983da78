import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// A stand-in whose endpoints count their requests, can be made to fail, and refuse with OAuth's errors.
protocol StandInEndpoints: Sendable {
    associatedtype Endpoint: Hashable, Sendable

    /// Counts a request. Returns how it fails, if the endpoint is set to.
    func count(_ endpoint: Endpoint) -> ProviderFailure?
}

extension StandInEndpoints {
    func add(
        _ endpoint: Endpoint,
        _ method: HTTPRequest.Method,
        _ path: RouterPath,
        to router: Router<StandInContext>,
        _ respond: @escaping @Sendable (Self, Request) async throws -> Response
    ) {
        router.on(path, method: method) { request, context in
            if let failed = try await count(endpoint)?.response(on: context.channel) { return failed }
            do {
                return try await respond(self, request)
            } catch let refusal as StandInRefusal {
                return .json(
                    ["error": .string(refusal.error), "error_description": .string(refusal.reason)],
                    status: HTTPResponse.Status(code: refusal.status)
                )
            }
        }
    }

    /// The parameters of a posted form of at most 64 KiB, far more than any form of these.
    static func form(_ request: Request) async throws -> FormParameters {
        guard request.headers[.contentType] == "application/x-www-form-urlencoded" else {
            throw StandInRefusal.request("Content-Type is not application/x-www-form-urlencoded")
        }
        var request = request
        return try FormParameters(String(buffer: try await request.collectBody(upTo: 64 << 10)))
    }
}
