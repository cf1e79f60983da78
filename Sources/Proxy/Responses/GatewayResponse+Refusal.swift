package import Authorization
package import HTTPCore
import NIOCore
package import Tenants

/// What the response to a refusal contains besides its reason.
package struct RefusalContext {
    /// The tenant's name, if known.
    package var realm: String?
    /// The tenant's DPoP parameters; nil if it does not use DPoP.
    package var proofs: ProofChallenge?
    package var requestID: RequestID
    /// Further fields; if there are any, `Cache-Control: no-store` is among them.
    package var fields: [HeaderField] = []
    /// Whether the response is one of gRPC: status 200, with the reason in `grpc-status` and `grpc-message`, and no body.
    /// Only for HTTP/2, where the head ends the stream ("Trailers-Only").
    var isGRPC = false
    /// Whether the client finds the page about the code at the host that it asked.
    var hasProblemPage = false
    /// The tenant's form and texts; nil: the gateway's.
    var rules: RefusalRules?
    /// Whether the client prefers a page.
    var prefersHTML = false

    package init(
        realm: String? = nil,
        proofs: ProofChallenge? = nil,
        requestID: RequestID,
        fields: [HeaderField] = [],
        isGRPC: Bool = false,
        hasProblemPage: Bool = false,
        rules: RefusalRules? = nil,
        prefersHTML: Bool = false
    ) {
        self.realm = realm
        self.proofs = proofs
        self.requestID = requestID
        self.fields = fields
        self.isGRPC = isGRPC
        self.hasProblemPage = hasProblemPage
        self.rules = rules
        self.prefersHTML = prefersHTML
    }
}

extension GatewayResponse {
    /// Turns a refusal into a response. No other code does.
    package init(_ refusal: Refusal, _ context: RefusalContext) {
        self.init(status: refusal.status)
        forbidsStoring = context.fields.isEmpty
        if context.isGRPC {
            status = 200
            contentType = "application/grpc"
            hasLength = false
            fields.append(HeaderField("grpc-status", "\(GRPCStatus(refusal).rawValue)"))
            fields.append(HeaderField("grpc-message", GRPCStatus.percentEncoded(refusal.code.rawValue)))
        } else {
            writeBody(RefusalBody(refusal, context))
        }
        if refusal.status == 401 || refusal.status == 403, !Self.hasChallenge(context.fields) {
            addChallenges(refusal, context)
        }
        if refusal.status == 405 {
            let methods = refusal.allowedMethods
            let all = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
            fields.append(HeaderField("Allow", methods.isEmpty ? all : methods.joined(separator: ", ")))
        }
        if refusal.status == 426 { addUpgrade(refusal) }
        if let seconds = refusal.retryAfterSeconds { fields.append(HeaderField("Retry-After", "\(seconds)")) }
        unindexedFields = context.fields.isEmpty ? refusal.fields : refusal.fields + context.fields
    }

    private static let challengeName = "WWW-Authenticate"

    /// Whether the refusal has its own challenge.
    private static func hasChallenge(_ fields: [HeaderField]) -> Bool {
        fields.contains { $0.isNamed(challengeName) }
    }

    /// One challenge for each scheme that the tenant accepts: RFC 6750 section 3 and RFC 9449 section 7.1. An error of
    /// a proof concerns only the second.
    private mutating func addChallenges(_ refusal: Refusal, _ context: RefusalContext) {
        if context.proofs == nil || refusal.proofError == nil && context.proofs?.acceptsBearer == true {
            fields.append(HeaderField(Self.challengeName, Self.challenge("Bearer", refusal, context)))
        }
        guard let proofs = context.proofs else { return }
        let challenge = Self.challenge("DPoP", refusal, context)
        let value = challenge + Array(", algs=\"\(proofs.algorithms)\"".utf8)
        fields.append(HeaderField(Self.challengeName, value))
    }

    /// A request without a token gets the bare challenge, without an error code (RFC 6750 section 3.1).
    private static func challenge(
        _ scheme: StaticString,
        _ refusal: Refusal,
        _ context: RefusalContext
    ) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(192)
        value.append(scheme)
        value.append(" realm=\"")
        value.append(text: context.realm ?? "gatehouse")
        value.append("\"")
        guard refusal.code != .missingToken else { return value }
        value.append(", error=\"")
        if let error = refusal.proofError {
            value.append(text: error.rawValue)
        } else {
            value.append(refusal.status == 403 ? "insufficient_scope" : "invalid_token")
        }
        value.append("\", error_description=\"")
        value.append(text: refusal.detail)
        value.append("\"")
        if !refusal.neededScopes.isEmpty {
            value.append(", scope=\"")
            value.append(text: refusal.neededScopes.joined(separator: " "))
            value.append("\"")
        }
        return value
    }

    /// A server names what it wants in a 426 (RFC 9110 section 15.5.22): the WebSocket version that it speaks (RFC 6455
    /// section 4.4), or the version of the app, which is no protocol of HTTP and leads no client to switch to one.
    private mutating func addUpgrade(_ refusal: Refusal) {
        if let needed = refusal.upgrade {
            upgrade = "app/\(needed.minimum)"
        } else {
            upgrade = "websocket"
            fields.append(HeaderField("Sec-WebSocket-Version", "13"))
        }
    }

    private mutating func writeBody(_ refusal: RefusalBody) {
        contentType = refusal.contentType
        body = refusal.bytes
        fields += refusal.fields
    }
}
