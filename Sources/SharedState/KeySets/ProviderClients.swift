public import AsyncHTTPClient
public import NIOCore
public import NIOSSL
import PeerNames

/// Clients for requests to providers. Each is for one address: a client does not say to whom a connection of its goes,
/// and the server's certificate has to be for that name.
public struct ProviderClients: Sendable {
    private let group: any EventLoopGroup
    private let tls: TLSConfiguration

    public init(group: any EventLoopGroup, tls: TLSConfiguration) {
        self.group = group
        self.tls = tls
    }

    /// - Parameter body: Given a client that follows no redirects, and reports at once what fails, since trying again is
    ///   the service's. Its connections are closed when this returns.
    func withClient<Result: Sendable>(
        for url: ProviderURL,
        _ body: (HTTPClient) async throws -> Result
    ) async throws -> Result {
        let client = HTTPClient(eventLoopGroup: group, configuration: configuration(for: url))
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        // Fails only if it was shut down before.
        try? await client.shutdown()
        return try result.get()
    }

    public func configuration(for url: ProviderURL) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: .seconds(10))
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        // The name is verified where connections for HTTP/1.1 are made.
        configuration.httpVersion = .http1Only
        if url.isSecure, let name = PeerName(ofHost: url.host) {
            configuration.http1_1ConnectionDebugInitializer = { name.verify($0) }
        }
        return configuration
    }
}
