package import HTTPCore
import Tenants

/// A tenant's CORS rules as the request path asks them (Fetch standard section 3.2).
package final class CrossOriginSharing {
    package enum Finding {
        /// No preflight.
        case none
        case preflight(Preflight)
        case refused(Refusal)
    }

    /// Bytes of `Access-Control-Request-Headers`.
    private static let longestList = 4096
    private static let longestMethod = 32
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    private static let methodsLine = Array("Access-Control-Allow-Methods: \(methods.joined(separator: ", "))".utf8)
    private static let vary = Array(
        "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n".utf8
    )
    private static let originHash = FieldLine.hash(ofName: "origin")
    private static let methodHash = FieldLine.hash(ofName: "access-control-request-method")
    private static let headersHash = FieldLine.hash(ofName: "access-control-request-headers")

    /// By the place of an origin: what answers to it say, each line with its CRLF.
    package let answerLines: [[UInt8]]
    private let allowsAll: Bool
    private let origins: [[UInt8]]
    /// By the place of an origin.
    private let preflightLines: [[UInt8]]
    private let line: Int

    init?(_ tenant: Tenant) {
        guard let rules = tenant.crossOrigin else { return nil }
        line = rules.line
        allowsAll = rules.origins == [CrossOriginRules.anyOrigin]
        origins = rules.origins.map { Array($0.utf8) }
        let credentials = rules.allowsCredentials ? "Access-Control-Allow-Credentials: true\r\n" : ""
        let exposed = Self.exposed(tenant, rules).joined(separator: ", ")
        answerLines = rules.origins.map { origin in
            Array(
                "Access-Control-Allow-Origin: \(origin)\r\n\(credentials)Access-Control-Expose-Headers: \(exposed)\r\n"
                    .utf8
            )
        }
        let maxAge = rules.maxAge.components.seconds
        preflightLines = rules.origins.map { origin in
            Array(
                "Access-Control-Allow-Origin: \(origin)\r\n\(credentials)Access-Control-Max-Age: \(maxAge)\r\n".utf8
            )
        }
    }

    /// What scripts may read besides the fields that they always may: each once, in any case.
    private static func exposed(_ tenant: Tenant, _ rules: CrossOriginRules) -> [String] {
        var names = ["WWW-Authenticate", "Retry-After"]
        if let header = tenant.refresh?.delivery.header { names.append(header) }
        if !tenant.rateLimits.isEmpty { names += ["RateLimit", "RateLimit-Policy"] }
        if tenant.proof != nil || tenant.issuer?.clients.contains(where: \.needsProof) == true {
            names.append("DPoP-Nonce")
        }
        for name in rules.exposedFields where !names.contains(where: { $0.lowercased() == name.lowercased() }) {
            names.append(name)
        }
        return names
    }

    // MARK: Preflights

    package func preflight(_ head: RequestHead, _ bytes: Span<UInt8>, _ explanation: Explanation?) -> Finding {
        guard bytes.isExactly("OPTIONS", head.method) else { return .none }
        let fields = PreflightFields(head, bytes, (Self.originHash, Self.methodHash, Self.headersHash))
        guard let origin = fields.origin, let method = fields.method else { return .none }
        guard !fields.hasSeveral, 1...Self.longestMethod ~= method.count, isToken(bytes.extracting(method)),
            let asked = Self.list(fields.headers, bytes)
        else {
            explanation?.note(.preflight, "the browser's question is malformed", line: line)
            return .refused(.malformedPreflight)
        }
        guard let place = place(of: bytes.extracting(origin)) else {
            explanation?.note(.preflight, "the page's origin is not one of cors.origins", line: line)
            return .refused(.preflightRefused(vary: Self.vary))
        }
        explanation?.note(.preflight, "the page's origin is one of cors.origins", line: line)
        var lines = preflightLines[place]
        lines += Self.methodsLine
        if !Self.methods.contains(where: { bytes.isEqual(method, to: $0) }) {
            lines += ", ".utf8
            lines += bytes.copy(method)
        }
        lines += "\r\n".utf8
        if !asked.isEmpty {
            lines += "Access-Control-Allow-Headers: ".utf8
            lines += asked
            lines += "\r\n".utf8
        }
        return .preflight(Preflight(lines: lines + Self.vary))
    }

    /// The names that the browser asks for; nil if they are no list of names, or too many.
    private static func list(_ values: [Range<Int>], _ bytes: Span<UInt8>) -> [UInt8]? {
        var list: [UInt8] = []
        var isGood = true
        for value in values {
            bytes.forEachListMember(value) { member in
                guard isGood, list.count + member.count + 2 <= longestList, isToken(bytes.extracting(member)) else {
                    isGood = false
                    return
                }
                if !list.isEmpty { list += ", ".utf8 }
                list += bytes.copy(member)
            }
        }
        return isGood ? list : nil
    }

    // MARK: Answers

    /// Where an origin stands among those that may call; nil for all others.
    package func place(of origin: Span<UInt8>) -> Int? {
        if allowsAll { return 0 }
        for index in origins.indices where WebOrigin.isSame(origin, as: origins[index]) { return index }
        return nil
    }

    /// Where the origin of a request stands; nil if it has none, several, or one that may not call.
    package func place(of head: RequestHead, _ bytes: Span<UInt8>) -> Int? {
        let hash = Self.originHash
        let fields = head.fields
        var origin: Range<Int>?
        for index in 0..<head.fieldCount where fields[index].hash == hash {
            guard bytes.isFieldName(fields[index].name, "origin") else { continue }
            guard origin == nil else { return nil }
            origin = fields[index].value
        }
        return origin.flatMap { place(of: bytes.extracting($0)) }
    }
}

/// What a head says of a preflight.
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
        detail: "the question whether a script may call is malformed"
    )

    static func preflightRefused(vary: [UInt8]) -> Refusal {
        var refusal = Refusal(
            .crossSiteRequest,
            status: 403,
            detail: "scripts of this origin may not call: it is not one of cors.origins"
        )
        refusal.lines = vary
        return refusal
    }
}
