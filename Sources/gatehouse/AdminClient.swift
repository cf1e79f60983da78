import CommandSupport
import FoundationEssentials
import NIOPosix
import NIOSSL
import OutgoingHTTP
import Verification

/// A client of a running gateway's admin API.
struct AdminClient {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    private static let tokenVariable = "GATEHOUSE_ADMIN_TOKEN"
    private static let patience = Duration.seconds(10)
    /// A tenant's text is at most 1 MiB, and an answer has it twice, with escapes.
    private static let longestAnswer = 8 << 20

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
        var fields = [(name: "Content-Type", value: "application/json")]
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        let (status, answer) = try await answer(method.rawValue, path, fields, JSONWriter.bytes(of: body))
        let object = try? JSONParser.parse(answer).object
        guard (200..<300).contains(status) else { throw CommandFailure(failure(status, object)) }
        guard let object else { throw CommandFailure(url.isSomethingElse) }
        return object
    }

    /// - Parameters:
    ///   - fields: Beside the token.
    ///   - body: YAML for PUT, else JSON.
    /// - Returns: The status, and the object of a response that has one.
    func exchange(
        _ method: Method,
        _ path: String,
        _ fields: [(name: String, value: String)] = [],
        _ body: [UInt8] = []
    ) async throws -> (status: Int, object: JSONObject?) {
        var fields = fields
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        if !body.isEmpty {
            fields.append((name: "Content-Type", value: method == .put ? "application/yaml" : "application/json"))
        }
        let (status, answer) = try await answer(method.rawValue, path, fields, body)
        return (status, try? JSONParser.parse(answer).object)
    }

    /// The error for a response that is none of 2xx.
    func failure(of status: Int, _ problem: JSONObject?) -> CommandFailure { CommandFailure(failure(status, problem)) }

    /// - Returns: The response to a GET, whatever it is.
    func get(_ path: String) async throws -> (status: Int, body: String) {
        let (status, body) = try await answer("GET", path)
        return (status, String(decoding: body, as: UTF8.self))
    }

    private func answer(
        _ method: String,
        _ path: String,
        _ fields: [(name: String, value: String)] = [],
        _ body: [UInt8] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton, tls: tls, connectTimeout: Self.patience)
        let request = OutgoingRequest(
            method: method,
            url: "\(url)\(path)",
            origin: url.origin,
            fields: fields,
            body: body
        )
        let response: Result<OutgoingResponse, OutgoingHTTPError>
        do throws(OutgoingHTTPError) {
            response = .success(try await http.send(request, within: Self.patience, mostBytes: Self.longestAnswer))
        } catch {
            response = .failure(error)
        }
        await http.shutdown()
        switch response {
        case .success(let response): return (response.status, response.body)
        case .failure(let error):
            throw CommandFailure(
                "no answer from \(url): \(Self.reason(error)); is the gateway running, and is that its gateway.admin "
                    + "address? --admin sets the address of the admin API"
            )
        }
    }

    private func failure(_ status: Int, _ problem: JSONObject?) -> String {
        guard let detail = problem?["detail"]?.string else {
            return "the answer was \(status); \(url.isSomethingElse)"
        }
        let said = RevocationLine.printable(detail)
        guard status == 401 else { return said }
        return hasToken
            ? "\(said); check \(Self.tokenVariable)" : "\(said); put it into the environment as \(Self.tokenVariable)"
    }

    private static func reason(_ error: OutgoingHTTPError) -> String {
        switch error.kind {
        case .timeLimit, .noFreeConnection, .connectTimeout: "it took longer than 10 s"
        case .unknownHost: "the name is not known"
        case .system, .bodyTooLong: error.description
        case .notHTTP, .client, .other: error.cause
        }
    }
}
