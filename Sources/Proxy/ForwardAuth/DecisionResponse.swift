package import Authorization
package import Counting
package import HTTPCore
package import Tenants
import Upstream

/// The response to another proxy's decision query, in either protocol.
package enum DecisionResponse {
    case pass(Pass)
    /// A browser's preflight; the client gets this response.
    case preflight(Preflight, tenant: TenantRuntime)
    /// - Parameter tenant: Nil if none was found.
    case refuse(Refusal, tenant: TenantRuntime?)

    package struct Pass {
        package let tenant: TenantRuntime
        /// The caller whose identity fields the backend gets; nil for none.
        package let caller: Caller?
        package let outcome: Outcome
        /// The locations of tokens that the backend must not get: all where tokens are stripped, or those that are stale
        /// beside a good one.
        package let withheld: [TokenSource]
    }

    /// - Parameter withheld: Indices of the locations whose tokens are stale beside a good one.
    package init(_ decision: Authorizer.Decision, withheld: [Int] = []) {
        switch decision {
        case .granted(let grant):
            let tenant = grant.request.tenant
            self = Self.pass(tenant, grant.caller, grant.outcome, withheld)
        case .refused(let refusal, let tenant): self = .refuse(refusal, tenant: tenant)
        case .preflight(let preflight, let tenant):
            self =
                tenant.needsClientCertificate
                ? .refuse(.certificateUnseen, tenant: tenant) : .preflight(preflight, tenant: tenant)
        case .pending(_, let request): self = .refuse(.overloaded, tenant: request.tenant)
        // Only of a client's own request: another proxy knows best what its clients should do.
        case .redirect(_, let tenant): self = .refuse(.oursToServe, tenant: tenant)
        case .endpoint(let endpoint, let request):
            let tenant = request.tenant
            // An unchecked sign-in must not reach the backend, except in observe mode.
            if tenant.tenant.mode == .observe, tenant.forwardsSignIns(endpoint) {
                self = Self.pass(tenant, nil, .refused(Refusal.oursToServe.code), [])
            } else {
                self = .refuse(.oursToServe, tenant: tenant)
            }
        }
    }

    private static func pass(
        _ runtime: TenantRuntime,
        _ caller: Caller?,
        _ outcome: Outcome,
        _ stale: [Int]
    ) -> DecisionResponse {
        guard !runtime.needsClientCertificate else { return .refuse(.certificateUnseen, tenant: runtime) }
        let sources = runtime.tenant.authenticate.from
        let withheld: [TokenSource] =
            if runtime.tenant.identity.token == .strip {
                sources
            } else if runtime.tenant.mode == .enforce {
                stale.map { sources[$0] }
            } else {
                []
            }
        return .pass(Pass(tenant: runtime, caller: caller, outcome: outcome, withheld: withheld))
    }

    /// Nil if it is no refusal.
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

extension DecisionResponse.Pass {
    /// The caller's identity fields, and the names of client fields to remove, in the field that Envoy reads.
    ///
    /// - Parameter freshNonce: For the client's next proof.
    /// - Returns: Fields of the HTTP response.
    package func fields(_ id: RequestID, freshNonce: String?) -> [HeaderField] {
        var idText: [UInt8] = []
        idText.reserveCapacity(36)
        idText.append(id)
        var names: [UInt8] = []
        names.reserveCapacity(256)
        forEachNameToRemove { name in
            if !names.isEmpty { names.append(UInt8(ascii: ",")) }
            names += name.utf8
        }
        let identityFields = identityFields
        var fields: [HeaderField] = []
        fields.reserveCapacity(identityFields.count + 4)
        fields += identityFields
        fields.append(HeaderField("X-Request-Id", idText))
        fields.append(.noStore)
        fields.append(HeaderField("X-Envoy-Auth-Headers-To-Remove", names))
        if let freshNonce { fields.append(HeaderField("DPoP-Nonce", freshNonce)) }
        return fields
    }

    /// The identity fields for the backend.
    package var identityFields: [HeaderField] { caller?.identityFields(tenant.tenant) ?? [] }

    /// The fields that a backend trusts and this response does not set: any copies are the client's own.
    ///
    /// - Parameter body: Called with each name.
    package func forEachNameToRemove(_ body: (String) -> Void) {
        // A caller's fields are in the tenant's order.
        var present = identityFields[...]
        for header in tenant.tenant.identity.headers {
            if present.first?.name == header.name { present.removeFirst() } else { body(header.name) }
        }
        CheckedSignIn.fieldNames.forEach(body)
        body("X-Client-Certificate-Subject")
        // A proof is of no use without its token.
        if tenant.proving != nil, tenant.tenant.identity.token == .strip { body(ProofField.name) }
        for source in withheld {
            switch source {
            case .bearer: body("Authorization")
            case .header(let name) where !WebSocketProtocols.isName(name): body(name)
            // Only part of a field, or none: the other proxy cannot remove it.
            case .header, .cookie, .query: break
            }
        }
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
