import Hummingbird
import NIOCore

/// Endpoints that count their requests and can be made to fail.
public enum ProviderEndpoint: String, Sendable, CaseIterable {
    case appleKeys, appleAuthorize, appleToken, appleRevoke
    case googleKeys, googleAuthorize, googleToken, googleRevoke, userInfo, tokenInfo
}

/// How an endpoint fails.
public enum ProviderFailure: Sendable, Equatable {
    /// Closes the connection without a response.
    case down
    /// Responds with this status, and an error as JSON.
    case status(Int)
    /// Works, after that many seconds.
    case slow(seconds: Double)
    /// Responds 200 with something that is not JSON.
    case garbage
    /// Responds 200 with a page.
    case page
}

/// Knows the connection, which is closed if the server is to seem down.
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

    /// - Returns: The failing response; nil to work normally.
    func response(on channel: any Channel) async throws -> Response? {
        switch self {
        case .down:
            try await channel.close()
            throw ConnectionClosed()
        case .status(let status):
            return .json(["error": "temporarily_unavailable"], status: HTTPResponse.Status(code: status))
        case .slow(let seconds):
            try await Task.sleep(for: .seconds(seconds))
            return nil
        case .page:
            return HTMLPage.response(.ok, title: "Maintenance", content: "<p>We are back soon.</p>")
        case .garbage:
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "{\"keys\": [<html>"))
            )
        }
    }
}
