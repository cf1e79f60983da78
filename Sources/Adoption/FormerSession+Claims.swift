import IdentityProvider
import Tenants
import Verification

extension FormerSession {
    /// What every token of a person may have.
    private static let usual = ["email", "email_verified", "name"]

    init(_ request: AdoptionRequest, _ tenant: Tenant) {
        self.init(
            principal: request.principal,
            claims: Self.claims(request.principal, tenant),
            device: request.device,
            clientAddress: request.clientAddress
        )
    }

    /// The claims that the tenant uses: what its backend is told, what its limits count by, and the roles. A former
    /// issuer's others mean nothing here.
    private static func claims(_ principal: Principal, _ tenant: Tenant) -> JSONObject {
        var claims = JSONObject()
        let limited = tenant.rateLimits.compactMap { limit in
            if case .claim(let name) = limit.key { name } else { nil }
        }
        for path in usual + tenant.identity.headers.map(\.claim) + limited {
            guard let name = member(path, of: principal.claims), !ReservedClaims.names.contains(name) else { continue }
            claims[name] = principal.claims[name]
        }
        // Where the issuer's roles are mapped, its claims of that name may say something else.
        claims["role"] = nil
        claims["roles"] = nil
        carryRoles(of: principal, into: &claims)
        return claims
    }

    private static func carryRoles(of principal: Principal, into claims: inout JSONObject) {
        var left = principal.roles
        for name in ["role", "roles"] {
            guard let claim = principal.claims[name], let roles = claim.stringOrStrings,
                roles.allSatisfy({ role in principal.roles.contains { isSame($0, role) } })
            else { continue }
            claims[name] = claim
            left.removeAll { role in roles.contains { isSame($0, role) } }
        }
        guard !left.isEmpty else { return }
        claims["roles"] = .array(((claims["roles"]?.stringOrStrings ?? []) + left).map(JSONValue.string))
    }

    /// The claim of the token that holds what a path leads to, as ``Principal/claimText(_:)`` reads it.
    private static func member(_ path: String, of claims: JSONObject) -> String? {
        if claims[path] != nil { return path }
        var dot = path.utf8.startIndex
        while let next = path.utf8[dot...].firstIndex(of: UInt8(ascii: ".")) {
            let name = String(path[..<next])
            if case .object? = claims[name] { return name }
            dot = path.utf8.index(after: next)
        }
        return nil
    }

    private static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
