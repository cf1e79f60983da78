import Authorization
import ExtAuthz
import HTTPCore
import Proxy
import Upstream

/// Envoy's changes of a granted request, so that the backend sees what it would see behind the gateway: the caller's
/// identity, no client copies of it, and no token if it is to be stripped.
extension DecisionResponse.Pass {
    /// - Parameter head: Of the original request, parsed from `bytes`.
    func changes(of head: RequestHead, _ bytes: Span<UInt8>, _ forwarding: ForwardingRules) -> RequestChanges {
        var changes = RequestChanges(set: identityFields.map(AuthzField.init))
        forEachNameToRemove { changes.remove.append(Array($0.utf8)) }
        strip(head, bytes, forwarding, &changes)
        // Envoy removes fields after it has set others.
        let kept = changes.set.map { $0.name.map(\.asciiLowercased) }
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            guard isOurs(field, bytes, forwarding) else { continue }
            // As spelled: a backend may read `X_User_Id` as `X-User-Id`, and Envoy does not.
            let name = field.name.map { bytes[$0].asciiLowercased }
            if !kept.contains(name) { changes.remove.append(name) }
        }
        changes.removeParameters = tokenParameters(head, bytes)
        return changes
    }

    /// Whether a backend could trust the field, or find the token in it.
    private func isOurs(_ field: HeadField, _ bytes: Span<UInt8>, _ forwarding: ForwardingRules) -> Bool {
        forwarding.isHiddenToken(field, bytes) || field.known == .clientCertificateSubject
            || isIdentity(field, bytes, forwarding) || isUnseenProtocol(field, bytes, forwarding)
    }

    /// Another spelling of the token's field, which was not checked.
    private func isUnseenProtocol(_ field: HeadField, _ bytes: Span<UInt8>, _ forwarding: ForwardingRules) -> Bool {
        forwarding.findsSubprotocols && field.isAlias && bytes.isFieldName(field.name, "sec-websocket-protocol")
    }

    /// Without the fields that `headers` sets or removes: the other proxy handles them.
    private func isIdentity(_ field: HeadField, _ bytes: Span<UInt8>, _ forwarding: ForwardingRules) -> Bool {
        guard forwarding.isIdentityField(field, bytes) else { return false }
        return tenant.tenant.identity.headers.contains { bytes.isFieldName(field.name, equalTo: $0.name) }
            || CheckedSignIn.fieldNames.contains { bytes.isFieldName(field.name, equalTo: $0) }
    }

    /// Fields that contain more than the token.
    private func strip(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        _ forwarding: ForwardingRules,
        _ changes: inout RequestChanges
    ) {
        let withheldCookies = withheld + forwarding.withheldCookies
        let stripsCookies = withheldCookies.contains { if case .cookie = $0 { true } else { false } }
        let stripsSubprotocols = withheld.contains {
            if case .header(let name) = $0 { WebSocketProtocols.isName(name) } else { false }
        }
        guard stripsCookies || stripsSubprotocols else { return }
        var cookies = Remainder(name: "Cookie", separator: "; ")
        var protocols = Remainder(name: "Sec-WebSocket-Protocol", separator: ", ")
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            if stripsCookies, field.known == .cookie {
                cookies.isSeen = true
                BackendRequest.forEachKeptCookie(field, bytes, tokens: withheldCookies) {
                    cookies.parts.append(bytes.copy($0))
                }
            } else if stripsSubprotocols, !field.isAlias,
                bytes.isFieldName(field.name, "sec-websocket-protocol")
            {
                protocols.isSeen = true
                BackendRequest.forEachKeptProtocol(field, bytes) { protocols.parts.append(bytes.copy($0)) }
            }
        }
        cookies.note(in: &changes)
        protocols.note(in: &changes)
    }

    private func tokenParameters(_ head: RequestHead, _ bytes: Span<UInt8>) -> [[UInt8]] {
        guard withheld.contains(where: { if case .query = $0 { true } else { false } }) else { return [] }
        let target = head.target
        guard let query = target.first(where: { bytes[$0] == UInt8(ascii: "?") }) else { return [] }
        var names: [[UInt8]] = []
        // A name can be escaped in thousands of ways.
        var seen: Set<[UInt8]> = []
        QueryParameters.forEach(bytes, query..<target.upperBound) { parameter in
            let holdsToken = withheld.contains { source in
                guard case .query(let name) = source else { return false }
                return QueryParameters.isName(bytes, parameter.name, name)
            }
            let name = parameter.name.map { bytes[$0] }
            if holdsToken, seen.insert(name).inserted { names.append(name) }
        }
        return names
    }
}

/// The rest of all fields of a name after the token is removed.
private struct Remainder {
    let name: String
    let separator: String
    var isSeen = false
    var parts: [[UInt8]] = []

    func note(in changes: inout RequestChanges) {
        guard isSeen else { return }
        let name = Array(name.utf8)
        guard !parts.isEmpty else { return changes.remove.append(name) }
        changes.set.append(AuthzField(name: name, value: Array(parts.joined(separator: separator.utf8))))
    }
}

extension AuthzField {
    init(_ field: HeaderField) { self.init(name: Array(field.name.utf8), value: field.value) }
}
