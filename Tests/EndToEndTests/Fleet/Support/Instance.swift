import NIOCore
import Tenants
import TestSupport
import Testing
import Verification

/// One of several gateways, in this process or another, as seen by its clients.
struct Instance: Sendable {
    let address: HostPort
    let admin: HostPort

    // MARK: Requests

    /// One request on a connection of its own.
    func request(_ target: String = "/x", host: String = "app.test", token: String? = nil) async throws -> RawResponse {
        try await Self.send("GET", target, host: host, to: address, authorization: token.map { "Bearer \($0)" })
    }

    /// Whether the token is revoked. Throws for any other status than 200.
    func refuses(_ token: String, host: String = "app.test") async throws -> Bool {
        let response = try await request(host: host, token: token)
        if response.status == 200 { return false }
        guard let problem = Problem(response), problem.status == 401, problem.code == "token_revoked" else {
            throw Malformed("\(response.status) \(response.body.text)")
        }
        return true
    }

    /// Polls until the token is refused.
    func awaitRefusal(
        of token: String,
        host: String = "app.test",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await until("a revocation awaited in line \(sourceLocation.line) has arrived at \(address)") {
            try await refuses(token, host: host)
        }
    }

    /// Polls until the token is accepted again.
    func awaitAcceptance(of token: String, host: String = "app.test") async throws {
        try await until("a withdrawal has arrived") { try await !refuses(token, host: host) }
    }

    // MARK: The admin listener

    func revoke(_ selector: JSONObject, tenant: String = "app") async throws -> RawResponse {
        try await revocations("POST", selector, tenant)
    }

    func withdraw(_ selector: JSONObject, tenant: String = "app") async throws -> RawResponse {
        try await revocations("DELETE", selector, tenant)
    }

    /// The tenant's revocations in the admin API.
    func list(tenant: String = "app") async throws -> RawResponse {
        try await Self.send("GET", "/api/revocations?tenant=\(tenant)", host: "\(admin)", to: admin)
    }

    /// The response of `/readyz`.
    func readiness() async throws -> RawResponse {
        try await Self.send("GET", "/readyz", host: "\(admin)", to: admin)
    }

    /// Posts a body to one of the tenant's endpoints.
    func post(
        _ target: String,
        _ body: String,
        type: String,
        host: String = "app.test"
    ) async throws -> RawResponse {
        try await Self.send("POST", target, host: host, to: address, body: body, type: type)
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
        body: String? = nil,
        type: String = "application/json"
    ) async throws -> RawResponse {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"]
        if let authorization { lines.append("Authorization: \(authorization)") }
        if let body { lines += ["Content-Type: \(type)", "Content-Length: \(body.utf8.count)"] }
        return try await RawClient.exchange(
            lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""),
            method: method,
            at: address
        )
    }
}

/// Polls until `isSo`, within the patience of a test.
func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
    let end = NIODeadline.now() + .patience + .patience
    while try await !isSo() {
        guard NIODeadline.now() < end else { throw NothingCame(description: "waited in vain: \(what)") }
        // A condition that never suspends would keep a thread from what it waits for, of which there are few.
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Revokes at `instance` and expects the acknowledgement.
func expectRevoked(
    _ selector: JSONObject,
    by instance: Instance,
    tenant: String = "app",
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let response = try await instance.revoke(selector, tenant: tenant)
    #expect(response.status == 200, "\(response.body.text)", sourceLocation: sourceLocation)
}

/// Withdraws a revocation at `instance` and expects the acknowledgement.
func expectWithdrawn(
    _ selector: JSONObject,
    by instance: Instance,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let response = try await instance.withdraw(selector)
    #expect(response.status == 200, "\(response.body.text)", sourceLocation: sourceLocation)
}
