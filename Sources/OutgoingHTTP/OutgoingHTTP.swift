import AsyncHTTPClient
public import NIOCore
import NIOHTTP1
public import NIOSSL
import PeerNames
import Synchronization

/// The gateway's own requests to servers that are nobody's backend: identity providers, authorization servers, account
/// hooks, collectors of traces, and a running gateway's admin listener.
///
/// It follows no redirect, decompresses nothing, keeps no cookie, and sends nothing twice: a refresh token that is shown
/// twice may cost the session.
public final class OutgoingHTTP: Sendable {
    /// Connections to a server that are open at once; further calls wait for one.
    public static let connectionsPerOrigin = 32
    /// For how long an unused connection is kept: less than servers commonly do (five seconds), since a call that goes
    /// out on a connection which the server is closing is lost.
    private static let idleTimeout = TimeAmount.seconds(4)

    private struct State {
        /// One for each server: a client does not tell its connections apart by server, and a certificate must be for
        /// the name of its server. As many as configurations have had addresses.
        var clients: [OutgoingRequest.Origin: HTTPClient] = [:]
        var isShutDown = false
    }

    private let group: any EventLoopGroup
    private let configuration: HTTPClient.Configuration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - group: Where connections live.
    ///   - tls: What authorities are trusted, by default the system's, and the client's certificate if it has one.
    public init(
        group: any EventLoopGroup,
        tls: TLSConfiguration = .makeClientConfiguration(),
        connectTimeout: Duration = .seconds(5)
    ) {
        self.group = group
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(connectTimeout)),
            decompression: .disabled
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connectionsPerOrigin
        configuration.connectionPool.idleTimeout = Self.idleTimeout
        // The name is verified where connections for HTTP/1.1 are made.
        configuration.httpVersion = .http1Only
        self.configuration = configuration
    }

    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - limit: For the request as a whole, to the last byte of the response.
    ///   - mostBytes: Of a body. A longer one is not read to its end.
    ///   - readsBody: Whether the body that follows a status matters; the connection is closed if not.
    /// - Returns: The response, whatever its status. The body of any status but 2xx is empty if it is longer than it may
    ///   be.
    /// - Throws: ``OutgoingHTTPError/Kind/bodyTooLong(limit:)`` only for a status of 2xx.
    public func send(
        _ request: OutgoingRequest,
        within limit: Duration,
        mostBytes: Int,
        readsBody: @escaping @Sendable (_ status: Int) -> Bool = { _ in true }
    ) async throws(OutgoingHTTPError) -> OutgoingResponse {
        do {
            let client = try client(for: request.origin)
            return try await withThrowingTaskGroup(of: OutgoingResponse.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    let deadline = NIODeadline.now() + TimeAmount(limit)
                    let response = try await client.execute(HTTPClientRequest(request), deadline: deadline)
                    let status = Int(response.status.code)
                    let body = readsBody(status) ? try await Self.body(of: response, mostBytes: mostBytes) : []
                    guard let body = body ?? ((200..<300).contains(status) ? nil : []) else {
                        throw OutgoingHTTPError(tooLong: mostBytes)
                    }
                    return OutgoingResponse(status: status, fields: response.headers, body: body)
                }
                group.addTask {
                    // The client's deadline is over with the head.
                    try await Task.sleep(for: limit)
                    throw HTTPClientError.deadlineExceeded
                }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch {
            throw OutgoingHTTPError(error)
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
        await withTaskGroup(of: Void.self) { group in
            // Fails only if it was shut down before.
            for client in clients.values { group.addTask { try? await client.shutdown() } }
        }
    }

    private func client(for origin: OutgoingRequest.Origin) throws -> HTTPClient {
        try state.withLock { state in
            if state.isShutDown { throw HTTPClientError.alreadyShutdown }
            if let client = state.clients[origin] { return client }
            var configuration = configuration
            if origin.isSecure, let name = PeerName(ofHost: origin.host) {
                configuration.http1_1ConnectionDebugInitializer = { name.verify($0) }
            }
            let client = HTTPClient(eventLoopGroup: group, configuration: configuration)
            state.clients[origin] = client
            return client
        }
    }

    /// - Returns: Nil for a longer body than may be.
    private static func body(of response: HTTPClientResponse, mostBytes: Int) async throws -> [UInt8]? {
        if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }), length > mostBytes {
            return nil
        }
        var bytes: [UInt8] = []
        for try await part in response.body {
            guard bytes.count + part.readableBytes <= mostBytes else { return nil }
            bytes += part.readableBytesView
        }
        return bytes
    }
}

extension HTTPClientRequest {
    fileprivate init(_ request: OutgoingRequest) {
        self.init(url: request.url)
        method = HTTPMethod(rawValue: request.method)
        for field in request.fields { headers.add(name: field.name, value: field.value) }
        if !request.body.isEmpty { body = .bytes(request.body) }
    }
}
