import Authorization
package import HTTPCore
package import Tenants

/// A tenant's rules for request fields towards the backend. Prepared once, so that a field costs two mask checks.
package final class ForwardingRules {
    /// The identity fields, which clients may not send, and the names that `headers.request` sets or removes.
    private let identityFields: FieldNames
    private let tokenFields: FieldNames
    /// The lines that `headers.request` sets, each with its CRLF.
    package let setLines: [UInt8]
    /// The path prefix to strip, without the trailing `/`; empty for none.
    package let strippedPrefix: [UInt8]
    /// Whether the backend gets these without the token.
    let stripsAuthorization: Bool
    /// The cookies that the backend does not get: those that may hold the token, and the one of the refresh tokens of the
    /// tenant's own issuer, for which no backend has a use.
    package let withheldCookies: [TokenSource]
    /// Whether the host has cookies of the gateway's own, which are as good as tokens at its sign-in and issuer.
    private let stripsOwnCookies: Bool
    package let stripsSubprotocols: Bool
    /// Whether tokens may be among the subprotocols of WebSockets.
    package let findsSubprotocols: Bool
    private let stripsTokenHeaders: Bool

    package init(_ tenant: Tenant) {
        let changes = tenant.headers.request
        setLines = changes.set.flatMap { Array("\($0.name): ".utf8) + $0.value.bytes + Array("\r\n".utf8) }
        strippedPrefix = tenant.stripPrefix ? Array((tenant.pathPrefix ?? "").utf8) : []
        // Identity fields of every form, for any tenant: a backend shared by several must not trust the tenant with the
        // weaker rules.
        let identity = tenant.identity.headers.map(\.name) + CheckedSignIn.fieldNames
        identityFields = FieldNames(identity + changes.set.map(\.name) + changes.remove)
        let strips = tenant.identity.token == .strip
        let sources = tenant.authenticate.from
        stripsAuthorization = strips && sources.contains(.bearer)
        withheldCookies = (strips ? sources.filter(\.isCookie) : []) + Self.ownRefreshCookies(of: tenant)
        // Tenants that differ by their prefix share a host.
        stripsOwnCookies = tenant.issuer != nil || tenant.signIn?.web != nil || tenant.pathPrefix != nil
        stripsTokenHeaders = strips
        var tokenHeaders: [String] = sources.compactMap {
            guard case .header(let name) = $0, !WebSocketProtocols.isName(name) else { return nil }
            return name
        }
        // A proof is useless without its token, and is stripped with it.
        if tenant.proof != nil { tokenHeaders.append(ProofField.name) }
        tokenFields = FieldNames(tokenHeaders)
        findsSubprotocols = sources.contains {
            if case .header(let name) = $0 { WebSocketProtocols.isName(name) } else { false }
        }
        stripsSubprotocols = strips && findsSubprotocols
    }

    /// Whether some cookies have to be taken out of the fields.
    var stripsCookies: Bool { stripsOwnCookies || !withheldCookies.isEmpty }

    private static func ownRefreshCookies(of tenant: Tenant) -> [TokenSource] {
        var names: Set<String> = []
        if let web = tenant.signIn?.web { names.insert(web.refreshCookie) }
        if let refresh = tenant.refresh, case .builtIn = refresh.call.strategy, case .cookie(let name) = refresh.source
        {
            names.insert(name)
        }
        return names.sorted().map { .cookie(name: $0) }
    }

    /// Whether a field is dropped because it holds a token, or because a backend could take it for the one that does:
    /// an alias was not checked.
    package func isHiddenToken(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        (stripsTokenHeaders || field.isAlias) && isTokenHeader(field, bytes)
    }

    /// Whether a field has the name of a header that may hold tokens.
    package func isTokenHeader(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool { tokenFields.contains(field, bytes) }

    /// Whether a field has the name of an identity header, or of one that is set or removed; case is ignored, and `_`
    /// counts as `-`.
    package func isIdentityField(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        identityFields.contains(field, bytes)
    }
}

/// A set of field names.
private struct FieldNames {
    private let names: [(hash: UInt32, name: String)]
    /// One bit per name, chosen by its hash: excludes nearly every other field without a comparison of names.
    private let mask: UInt64

    init(_ names: [String]) {
        self.names = names.map { (FieldLine.hash(ofName: $0), $0) }
        mask = self.names.reduce(0) { $0 | 1 << UInt64($1.hash & 63) }
    }

    @inline(__always)
    func contains(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        guard mask >> UInt64(field.hash & 63) & 1 == 1 else { return false }
        for other in names where other.hash == field.hash {
            if bytes.isFieldName(field.name, equalTo: other.name) { return true }
        }
        return false
    }
}

extension TokenSource {
    fileprivate var isCookie: Bool { if case .cookie = self { true } else { false } }
}
