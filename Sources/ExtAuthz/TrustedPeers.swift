internal import GRPCCore

/// Refuses calls of untrusted peers before their queries are read.
struct TrustedPeers: ServerInterceptor {
    let authorizer: any CheckHandler

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>,
        context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        guard let peer = AuthorizationService.address(context.remotePeer), authorizer.answers(peer) else {
            throw RPCError(code: .permissionDenied, message: "only proxies that are trusted are answered")
        }
        return try await next(request, context)
    }
}
