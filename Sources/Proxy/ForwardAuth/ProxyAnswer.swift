package import Authorization
package import Counting
package import HTTPCore
import Tenants
import Upstream

/// What another proxy is told about a request that it forwards itself, whichever way it asks.
package enum ProxyAnswer {
    case pass(Pass)
    /// A browser's question, which the client gets this answer to.
    case preflight(Preflight, tenant: TenantRuntime)
    /// - Parameter tenant: Nil where none was found.
    case refuse(Refusal, tenant: TenantRuntime?)

    package struct Pass {
        package let tenant: TenantRuntime
        /// Whose identity fields the backend gets; nil for nobody's.
        package let caller: Caller?
        package let outcome: Outcome
    }

    package init(_ decision: Authorizer.Decision) {
        switch decision {
        case .granted(let grant):
            let tenant = grant.request.tenant
            self = Self.pass(tenant, grant.caller, grant.outcome)
        case .refused(let refusal, let tenant): self = .refuse(refusal, tenant: tenant)
        case .preflight(let preflight, let tenant):
            self =
                tenant.needsClientCertificate
                ? .refuse(.certificateUnseen, tenant: tenant) : .preflight(preflight, tenant: tenant)
        case .pending(_, let request): self = .refuse(.overloaded, tenant: request.tenant)
        case .endpoint(let endpoint, let request):
            let tenant = request.tenant
            // An unchecked sign-in must not reach the backend, except in observe mode.
            if tenant.tenant.mode == .observe, tenant.forwardsSignIns(endpoint) {
                self = Self.pass(tenant, nil, .refused(Refusal.oursToServe.code))
            } else {
                self = .refuse(.oursToServe, tenant: tenant)
            }
        }
    }

    private static func pass(_ tenant: TenantRuntime, _ caller: Caller?, _ outcome: Outcome) -> ProxyAnswer {
        guard !tenant.needsClientCertificate else { return .refuse(.certificateUnseen, tenant: tenant) }
        return .pass(Pass(tenant: tenant, caller: caller, outcome: outcome))
    }

    /// Nil where it is none.
    package var refusal: Refusal? {
        if case .refuse(let refusal, _) = self { refusal } else { nil }
    }

    package var tenant: TenantRuntime? {
        switch self {
        case .pass(let pass): pass.tenant
        case .preflight(_, let tenant): tenant
        case .refuse(_, let tenant): tenant
        }
    }
}

extension ProxyAnswer.Pass {
    /// The caller's identity fields, and the names of client fields to remove, in the field that Envoy reads.
    ///
    /// - Parameter freshNonce: For the client's next proof.
    /// - Returns: Fields of the answer by HTTP, each with its CRLF.
    package func lines(_ id: RequestID, freshNonce: String?) -> [UInt8] {
        var lines = caller?.identityLines ?? []
        lines.reserveCapacity(lines.count + 320)
        lines += "X-Request-Id: ".utf8
        id.forEachByte { lines.append($0) }
        lines += "\r\nCache-Control: no-store\r\nX-Envoy-Auth-Headers-To-Remove: ".utf8
        var isFirst = true
        forEachNameToRemove { name in
            if !isFirst { lines.append(UInt8(ascii: ",")) }
            lines += name.utf8
            isFirst = false
        }
        lines += [0x0d, 0x0a]
        if let freshNonce { lines += "DPoP-Nonce: \(freshNonce)\r\n".utf8 }
        return lines
    }

    /// The fields that a backend believes and this request does not have: copies of them are the client's own.
    ///
    /// - Parameter body: Told each name.
    package func forEachNameToRemove(_ body: (String) -> Void) {
        let lines = caller?.identityLines ?? []
        var position = 0
        // A caller's lines stand in the tenant's order.
        for header in tenant.tenant.identity.headers {
            if Self.begins(lines, at: position, header.name) {
                position = (lines[position...].firstIndex(of: 0x0a) ?? lines.endIndex - 1) + 1
            } else {
                body(header.name)
            }
        }
        CheckedSignIn.fieldNames.forEach(body)
        body("X-Client-Certificate-Subject")
        guard tenant.tenant.identity.token == .strip else { return }
        // A proof is of no use without its token.
        if tenant.proving != nil { body(ProofField.name) }
        for source in tenant.tenant.authenticate.from {
            switch source {
            case .bearer: body("Authorization")
            case .header(let name) where !WebSocketProtocols.isName(name): body(name)
            // Only a part of a field, or none: the other proxy cannot be told.
            case .header, .cookie, .query: break
            }
        }
    }

    private static func begins(_ lines: [UInt8], at position: Int, _ name: String) -> Bool {
        let colon = position + name.utf8.count
        guard colon < lines.count, lines[colon] == UInt8(ascii: ":") else { return false }
        return lines[position..<colon].elementsEqual(name.utf8)
    }
}

extension Refusal {
    static let oursToServe = Refusal(
        .unknownHost,
        status: 404,
        detail: "the gateway serves this path itself: have the proxy route it to the gateway instead of asking about it"
    )
    fileprivate static let certificateUnseen = Refusal(
        .unknownHost,
        status: 421,
        detail: "this app needs a client's certificate, which only the gateway's own listener asks for"
    )
}
