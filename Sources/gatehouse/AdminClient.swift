import AsyncHTTPClient
import CommandSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PeerNames
import Verification

/// A client of a running gateway's admin API.
struct AdminClient {
    enum Method {
        case post, delete
    }

    private static let tokenVariable = "GATEHOUSE_ADMIN_TOKEN"
    private static let patience = TimeAmount.seconds(10)
    private static let longestAnswer = 1 << 20

    private let url: AdminURL
    private let token: String?
    private let tls: TLSConfiguration

    /// - Parameter tls: The trusted authorities, for an https URL; by default the system's.
    init(_ url: AdminURL, token: String?, tls: TLSConfiguration = .makeClientConfiguration()) {
        self.url = url
        self.token = token
        self.tls = tls
    }

    var hasToken: Bool { token != nil }

    /// - Returns: Nil if it is not set, or empty.
    static func tokenFromEnvironment() throws -> String? {
        guard let token = ProcessInfo.processInfo.environment[tokenVariable], !token.isEmpty else { return nil }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure("\(tokenVariable) holds spaces, line ends or other characters that no token has")
        }
        return token
    }

    /// - Returns: The object of a 2xx response.
    func send(_ method: Method, _ path: String, _ body: JSONObject) async throws -> JSONObject {
        var request = HTTPClientRequest(url: "\(url)\(path)")
        switch method {
        case .post: request.method = .POST
        case .delete: request.method = .DELETE
        }
        request.headers.add(name: "Content-Type", value: "application/json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = .bytes(JSONWriter.bytes(of: body))
        let (status, answer) = try await answer(to: request)
        let object = try? JSONParser.parse(answer).object
        guard (200..<300).contains(status) else { throw CommandFailure(failure(status, object)) }
        guard let object else { throw CommandFailure(url.isSomethingElse) }
        return object
    }

    /// - Returns: The response to a GET, whatever it is.
    func get(_ path: String) async throws -> (status: UInt, body: String) {
        let (status, body) = try await answer(to: HTTPClientRequest(url: "\(url)\(path)"))
        return (status, String(decoding: body, as: UTF8.self))
    }

    private func answer(to request: HTTPClientRequest) async throws -> (status: UInt, body: [UInt8]) {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(for: request.url))
        do {
            let response = try await client.execute(request, timeout: Self.patience)
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            try await client.shutdown()
            return (response.status.code, Array(body.readableBytesView))
        } catch {
            try? await client.shutdown()
            throw CommandFailure(
                "no answer from \(url): \(Self.reason(error)); is the gateway running, and is that its gateway.admin "
                    + "address? --admin says where to look"
            )
        }
    }

    private func configuration(for url: String) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: Self.patience)
        )
        // A refused connection is reported at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The name is verified only for HTTP/1.1 connections.
        configuration.httpVersion = .http1Only
        // Parsed as the client parses it.
        if let parts = URL(string: url), parts.scheme?.lowercased() == "https",
            let name = parts.host.flatMap({ PeerName(ofHost: $0) })
        {
            configuration.http1_1ConnectionDebugInitializer = { name.verify($0) }
        }
        return configuration
    }

    private func failure(_ status: UInt, _ problem: JSONObject?) -> String {
        guard let detail = problem?["detail"]?.string else {
            return "the answer was \(status); \(url.isSomethingElse)"
        }
        let said = RevocationLine.printable(detail)
        guard status == 401 else { return said }
        return hasToken
            ? "\(said); check \(Self.tokenVariable)" : "\(said); put it into the environment as \(Self.tokenVariable)"
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first?.error else { return "the name is not known" }
            return reason(first)
        case let error as IOError: return String(cString: strerror(error.errnoCode)).lowercased()
        case let error as HTTPClientError
        where [.connectTimeout, .deadlineExceeded, .readTimeout].contains(error):
            return "it took longer than 10 s"
        default: return "\(error)"
        }
    }
}
