import AsyncHTTPClient
public import NIOCore
import NIOHTTP1
public import NIOSSL
import Synchronization
public import Tenants

/// Carries refresh calls to providers at full URLs. It follows no redirect and tries nothing again: a refresh token
/// that is shown twice may cost the session.
public final class ProviderTransport: RefreshTransport {
    /// Connections to a provider that are open at once; further calls wait for one.
    static let connectionsPerProvider = 32
    /// For how long an unused connection is kept: less than servers commonly do (five seconds), since a call that goes
    /// out on a connection which the server is closing is lost.
    private static let idleTimeout = TimeAmount.seconds(4)

    /// Who answers; all that is the same for them is shared.
    private struct Origin: Hashable {
        let isSecure: Bool
        let host: String
        let port: Int

        init(_ url: ProviderURL) {
            isSecure = url.isSecure
            host = url.host
            port = url.port
        }
    }

    private struct State {
        /// As many as the configuration has providers.
        var clients: [Origin: HTTPClient] = [:]
        var isShutDown = false
    }

    private let group: any EventLoopGroup
    private let clients: ProviderClients
    private let timeout: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - group: Where connections live.
    ///   - timeout: For an attempt as a whole.
    ///   - tls: What authorities are trusted; by default the system's.
    public init(
        group: any EventLoopGroup,
        timeout: Duration = .seconds(10),
        tls: TLSConfiguration = .makeClientConfiguration()
    ) {
        self.group = group
        clients = ProviderClients(group: group, tls: tls)
        self.timeout = timeout
    }

    /// - Parameter request: Its target is https, or http on loopback; its `host` is not sent, the URL's is.
    public func send(_ request: RefreshHTTPRequest, tenant: TenantIndex) async throws(RefreshFailure)
        -> RefreshHTTPResponse
    {
        try await send(request, within: timeout)
    }

    /// - Parameter timeout: For the request as a whole.
    public func send(
        _ request: RefreshHTTPRequest,
        within timeout: Duration
    ) async throws(RefreshFailure) -> RefreshHTTPResponse {
        // The configuration has no other addresses: nobody is there.
        guard let url = ProviderURL(request.target), let client = client(for: url) else { throw .network }
        do {
            return try await withThrowingTaskGroup(of: RefreshHTTPResponse.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await self.answer(request, url, client) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw RefreshFailure.timeout
                }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch {
            throw RefreshFailure(ofRequest: error)
        }
    }

    /// Closes all connections; calls under way, and those that come later, fail. To be called before the last reference
    /// goes.
    public func shutdown() async {
        let clients = state.withLock { state in
            defer { state.clients = [:] }
            state.isShutDown = true
            return state.clients
        }
        // Fails only if it was shut down before.
        for client in clients.values { try? await client.shutdown() }
    }

    /// - Returns: Nil after the shutdown.
    private func client(for url: ProviderURL) -> HTTPClient? {
        let origin = Origin(url)
        return state.withLock { state in
            if state.isShutDown { return nil }
            if let client = state.clients[origin] { return client }
            var configuration = clients.configuration(for: url)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsPerProvider
            configuration.connectionPool.idleTimeout = Self.idleTimeout
            configuration.timeout.read = TimeAmount(timeout)
            let client = HTTPClient(eventLoopGroup: group, configuration: configuration)
            state.clients[origin] = client
            return client
        }
    }
}

// MARK: One request

extension ProviderTransport {
    private func answer(
        _ request: RefreshHTTPRequest,
        _ url: ProviderURL,
        _ client: HTTPClient
    ) async throws -> RefreshHTTPResponse {
        var message = HTTPClientRequest(url: url.text)
        message.method = HTTPMethod(rawValue: request.method)
        for field in request.fields {
            message.headers.add(name: field.name, value: String(decoding: field.value, as: UTF8.self))
        }
        if !request.body.isEmpty { message.body = .bytes(request.body) }
        let response = try await client.execute(message, deadline: .now() + TimeAmount(timeout))
        // Where the status alone says no, it counts whatever follows it.
        var answer = RefreshHTTPResponse(status: Int(response.status.code), body: [])
        if let body = try await body(of: response) {
            answer.body = body
        } else if (200..<300).contains(answer.status) {
            throw RefreshFailure.tooLargeAnswer
        }
        return answer
    }

    /// - Returns: Nil for a longer body than may be.
    private func body(of response: HTTPClientResponse) async throws -> [UInt8]? {
        let most = RefreshHTTPResponse.mostBytes
        if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }), length > most {
            return nil
        }
        var bytes: [UInt8] = []
        for try await part in response.body {
            guard bytes.count + part.readableBytes <= most else { return nil }
            bytes += part.readableBytesView
        }
        return bytes
    }
}

extension RefreshFailure {
    /// What a request that failed came to. The error itself goes no further: its text may quote what was sent.
    fileprivate init(ofRequest error: any Error) {
        switch error {
        case let trouble as RefreshFailure: self = trouble
        case let error as HTTPClientError: self.init(error)
        // The connection ended within the answer.
        case HTTPParserError.invalidEOFState: self = .network
        case is HTTPParserError: self = .garbledAnswer
        default: self = .network
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout: self = .timeout
        default: self = .network
        }
    }
}
