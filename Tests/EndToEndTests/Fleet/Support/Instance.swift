import NIOCore
import Tenants
import TestSupport
import Testing
import Verification

/// One of several gateways, in this process or in one of its own, as those see it who come to its listeners.
struct Instance: Sendable {
    let address: HostPort
    let admin: HostPort

    // MARK: Requests

    /// One request on a connection of its own.
    func request(_ target: String = "/x", host: String = "app.test", token: String? = nil) async throws -> RawResponse {
        try await Self.send("GET", target, host: host, to: address, authorization: token.map { "Bearer \($0)" })
    }

    /// Whether the caller is refused because of a revocation; any other answer than 200 throws.
    func refuses(_ token: String, host: String = "app.test") async throws -> Bool {
        let response = try await request(host: host, token: token)
        if response.status == 200 { return false }
        guard let problem = Problem(response), problem.status == 401, problem.code == "token_revoked" else {
            throw Malformed("\(response.status) \(response.body.text)")
        }
        return true
    }

    /// Asks until the caller is refused.
    func awaitRefusal(
        of token: String,
        host: String = "app.test",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await until("a revocation awaited in line \(sourceLocation.line) has arrived at \(address)") {
            try await refuses(token, host: host)
        }
    }

    /// Asks until the caller is let in again.
    func awaitWelcome(of token: String, host: String = "app.test") async throws {
        try await until("a withdrawal has arrived") { try await !refuses(token, host: host) }
    }

    // MARK: The admin listener

    func revoke(_ selector: JSONObject, tenant: String = "app") async throws -> RawResponse {
        try await revocations("POST", selector, tenant)
    }

    func withdraw(_ selector: JSONObject, tenant: String = "app") async throws -> RawResponse {
        try await revocations("DELETE", selector, tenant)
    }

    /// What the admin API has of the tenant's revocations.
    func list(tenant: String = "app") async throws -> RawResponse {
        try await Self.send("GET", "/api/revocations?tenant=\(tenant)", host: "\(admin)", to: admin)
    }

    /// What `/readyz` says.
    func readiness() async throws -> RawResponse {
        try await Self.send("GET", "/readyz", host: "\(admin)", to: admin)
    }

    private func revocations(_ method: String, _ selector: JSONObject, _ tenant: String) async throws -> RawResponse {
        var body = selector
        body["tenant"] = .string(tenant)
        let text = JSONWriter.text(of: .object(body))
        return try await Self.send(method, "/api/revocations", host: "\(admin)", to: admin, body: text)
    }

    private static func send(
        _ method: String,
        _ target: String,
        host: String,
        to address: HostPort,
        authorization: String? = nil,
        body: String? = nil
    ) async throws -> RawResponse {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"]
        if let authorization { lines.append("Authorization: \(authorization)") }
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return try await RawClient.answer(
            to: lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""),
            method: method,
            at: address
        )
    }
}

/// Asks again and again, as fast as the answers come, until it is so; for as long as a test has patience.
func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
    let end = NIODeadline.now() + .patience + .patience
    while try await !isSo() {
        guard NIODeadline.now() < end else { throw NothingCame(description: "waited in vain: \(what)") }
    }
}

/// Revokes at `instance` and expects that it is acknowledged.
func expectRevoked(
    _ selector: JSONObject,
    by instance: Instance,
    tenant: String = "app",
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let answer = try await instance.revoke(selector, tenant: tenant)
    #expect(answer.status == 200, "\(answer.body.text)", sourceLocation: sourceLocation)
}

/// Takes a revocation back at `instance` and expects that it is acknowledged.
func expectWithdrawn(
    _ selector: JSONObject,
    by instance: Instance,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let answer = try await instance.withdraw(selector)
    #expect(answer.status == 200, "\(answer.body.text)", sourceLocation: sourceLocation)
}
