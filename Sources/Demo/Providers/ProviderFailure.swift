import Hummingbird
import NIOCore

/// What can be asked, and counted, and made to fail.
public enum ProviderEndpoint: String, Sendable, CaseIterable {
    case appleKeys, appleAuthorize, appleToken
    case googleKeys, googleAuthorize, googleToken, userInfo, tokenInfo
}

/// What an endpoint does instead of its work.
public enum ProviderFailure: Sendable, Equatable {
    /// Closes the connection without an answer.
    case down
    /// Answers with this status, and an error as JSON.
    case status(Int)
    /// Works, so many seconds later.
    case slow(seconds: Double)
    /// Answers 200 with what is no JSON.
    case garbage
}

/// Knows the connection, which a server that is down closes.
struct StandInContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

extension ProviderFailure {
    struct ConnectionClosed: Error {}

    /// - Returns: What is answered; nil: go on with the work.
    func answer(on channel: any Channel) async throws -> Response? {
        switch self {
        case .down:
            try await channel.close()
            throw ConnectionClosed()
        case .status(let status):
            return .json(["error": "temporarily_unavailable"], status: HTTPResponse.Status(code: status))
        case .slow(let seconds):
            try await Task.sleep(for: .seconds(seconds))
            return nil
        case .garbage:
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"keys\": [<html>"))
            )
        }
    }
}
