import ConfigurationText
package import HTTPCore
import Tenants

/// A tenant's CORS rules in the form for the request path (Fetch standard section 3.2).
package final class CrossOriginSharing {
    package enum Finding {
        /// Not a preflight.
        case none
        case preflight(Preflight)
        case refused(Refusal)
    }

    /// Bytes of `Access-Control-Request-Headers`.
    private static let maximumLength = 4096
    private static let maximumMethodLength = 32
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let methodsText = methods.joined(separator: ", ")
    private static let vary = HeaderField(
        "Vary",
        "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
    )
    private static let originHash = FieldLine.hash(ofName: "origin")
    private static let methodHash = FieldLine.hash(ofName: "access-control-request-method")
    private static let headersHash = FieldLine.hash(ofName: "access-control-request-headers")

    /// By the index of an origin: fields of its responses.
    package let responseFields: [[HeaderField]]
    private let allowsAll: Bool
    private let origins: [[UInt8]]
    /// By the index of an origin.
    private let preflightFields: [[HeaderField]]
    private let line: SourceLine

    init?(_ tenant: Tenant) {
        guard let rules = tenant.crossOrigin else { return nil }
        line = rules.line
        allowsAll = rules.origins == [CrossOriginRules.anyOrigin]
        origins = rules.origins.map { Array($0.utf8) }
        let allowances = rules.origins.map { origin in
            let allowed = [HeaderField("Access-Control-Allow-Origin", origin)]
            return rules.allowsCredentials
                ? allowed + [HeaderField("Access-Control-Allow-Credentials", "true")] : allowed
        }
        let exposed = Self.exposed(tenant, rules).joined(separator: ", ")
        responseFields = allowances.map { $0 + [HeaderField("Access-Control-Expose-Headers", exposed)] }
        let maxAge = "\(rules.maxAge.components.seconds)"
        preflightFields = allowances.map { $0 + [HeaderField("Access-Control-Max-Age", maxAge)] }
    }

    /// The fields that scripts may read besides the safelisted ones: each once, ignoring case.
    private static func exposed(_ tenant: Tenant, _ rules: CrossOriginRules) -> [String] {
        var names = ["WWW-Authenticate", "Retry-After"]
        if let header = tenant.refresh?.delivery.header { names.append(header) }
        if !tenant.rateLimits.isEmpty { names += ["RateLimit", "RateLimit-Policy"] }
        if tenant.proof != nil || tenant.issuer?.clients.contains(where: \.needsProof) == true {
            names.append("DPoP-Nonce")
        }
        if tenant.appVersion != nil { names.append("X-App-Update") }
        for name in rules.exposedFields where !names.contains(where: { $0.lowercased() == name.lowercased() }) {
            names.append(name)
        }
        return names
    }

    // MARK: Preflights

    package func preflight(_ head: RequestHead, _ bytes: Span<UInt8>, _ explanation: Explanation?) -> Finding {
        guard bytes.isExactly("OPTIONS", head.method) else { return .none }
        let requested = PreflightFields(head, bytes, (Self.originHash, Self.methodHash, Self.headersHash))
        guard let origin = requested.origin, let method = requested.method else { return .none }
        guard !requested.hasSeveral, 1...Self.maximumMethodLength ~= method.count, isToken(bytes.extracting(method)),
            let names = Self.list(requested.headers, bytes)
        else {
            explanation?.note(.preflight, "the preflight request is malformed", line: line)
            return .refused(.malformedPreflight)
        }
        guard let index = index(of: bytes.extracting(origin)) else {
            explanation?.note(.preflight, "the page's origin is not one of cors.origins", line: line)
            return .refused(.preflightRefused(vary: Self.vary))
        }
        explanation?.note(.preflight, "the page's origin is one of cors.origins", line: line)
        var fields = preflightFields[index]
        var allowed = Array(Self.methodsText.utf8)
        if !Self.methods.contains(where: { bytes.isEqual(method, to: $0) }) {
            allowed += ", ".utf8
            allowed += bytes.copy(method)
        }
        fields.append(HeaderField("Access-Control-Allow-Methods", allowed))
        if !names.isEmpty { fields.append(HeaderField("Access-Control-Allow-Headers", names)) }
        return .preflight(Preflight(fields: fields + [Self.vary]))
    }

    /// The requested field names; nil if the values are no list of names, or too long.
    private static func list(_ values: [Range<Int>], _ bytes: Span<UInt8>) -> [UInt8]? {
        var list: [UInt8] = []
        var isValid = true
        for value in values {
            bytes.forEachListMember(value) { member in
                guard isValid, list.count + member.count + 2 <= maximumLength, isToken(bytes.extracting(member)) else {
                    isValid = false
                    return
                }
                if !list.isEmpty { list += ", ".utf8 }
                list += bytes.copy(member)
            }
        }
        return isValid ? list : nil
    }

    // MARK: Responses

    /// The index of an origin among the allowed ones; nil for all others.
    package func index(of origin: Span<UInt8>) -> Int? {
        if allowsAll { return 0 }
        for index in origins.indices where WebOrigin.isSame(origin, as: origins[index]) { return index }
        return nil
    }

    /// The index of a request's origin; nil if it has none, several, or one that is not allowed.
    package func index(of head: RequestHead, _ bytes: Span<UInt8>) -> Int? {
        let hash = Self.originHash
        let fields = head.fields
        var origin: Range<Int>?
        for index in 0..<head.fieldCount where fields[index].hash == hash {
            guard bytes.isFieldName(fields[index].name, "origin") else { continue }
            guard origin == nil else { return nil }
            origin = fields[index].value
        }
        return origin.flatMap { index(of: bytes.extracting($0)) }
    }
}

/// The preflight fields of a head.
private struct PreflightFields {
    private(set) var origin: Range<Int>?
    private(set) var method: Range<Int>?
    private(set) var headers: [Range<Int>] = []
    private(set) var hasSeveral = false

    init(_ head: RequestHead, _ bytes: Span<UInt8>, _ hashes: (origin: UInt32, method: UInt32, headers: UInt32)) {
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            guard !field.isAlias else { continue }
            if field.hash == hashes.origin, bytes.isFieldName(field.name, "origin") {
                hasSeveral = hasSeveral || origin != nil
                origin = field.value
            } else if field.hash == hashes.method, bytes.isFieldName(field.name, "access-control-request-method") {
                hasSeveral = hasSeveral || method != nil
                method = field.value
            } else if field.hash == hashes.headers, bytes.isFieldName(field.name, "access-control-request-headers") {
                headers.append(field.value)
            }
        }
    }
}

private func isToken(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<bytes.count where !bytes[index].isTokenByte { return false }
    return bytes.count > 0
}

extension Refusal {
    static let malformedPreflight = Refusal(
        .badRequest,
        status: 400,
        detail: "the preflight request is malformed"
    )

    static func preflightRefused(vary: HeaderField) -> Refusal {
        var refusal = Refusal(
            .crossSiteRequest,
            status: 403,
            detail: "scripts of this origin may not call: it is not one of cors.origins"
        )
        refusal.fields = [vary]
        return refusal
    }
}
