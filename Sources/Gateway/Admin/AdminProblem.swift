import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// Why the admin listener does not do what it was asked: every reason there is, and the one place that makes answers
/// of them.
struct AdminProblem: Error, Equatable {
    /// For programs; each has one status and one title.
    enum Code: String, CaseIterable {
        case badRequest = "bad_request"
        case missingToken = "missing_token"
        case invalidToken = "invalid_token"
        case crossSiteRequest = "cross_site_request"
        case unknownTenant = "unknown_tenant"
        case keysElsewhere = "keys_elsewhere"
        case noIssuer = "no_issuer"
        case payloadTooLarge = "payload_too_large"
        case unsupportedMediaType = "unsupported_media_type"
        case storeUnavailable = "store_unavailable"
    }

    var code: Code
    /// For people; holds no token.
    var detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    static func badRequest(_ detail: String) -> AdminProblem { AdminProblem(.badRequest, detail) }
}

extension AdminProblem.Code {
    var status: HTTPResponse.Status {
        switch self {
        case .badRequest: .badRequest
        case .missingToken, .invalidToken: .unauthorized
        case .crossSiteRequest: .forbidden
        case .unknownTenant: .notFound
        case .keysElsewhere, .noIssuer: .conflict
        case .payloadTooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .storeUnavailable: .serviceUnavailable
        }
    }

    /// A short heading for people (RFC 9457 section 3.1.3).
    var title: String {
        switch self {
        case .badRequest: "The request is malformed"
        case .missingToken: "The admin token is needed"
        case .invalidToken: "The admin token is another one"
        case .crossSiteRequest: "The request comes from another site"
        case .unknownTenant: "There is no such tenant"
        case .keysElsewhere: "The keys are not the gateway's to change"
        case .noIssuer: "The tenant has no issuer of its own"
        case .payloadTooLarge: "The body is too large"
        case .unsupportedMediaType: "The body is no JSON"
        case .storeUnavailable: "The store is not available"
        }
    }
}

extension AdminProblem: HTTPResponseError {
    var status: HTTPResponse.Status { code.status }

    /// RFC 9457, with the stable `code` as an extension.
    func response(from request: Request, context: some RequestContext) -> Response {
        var response = Response(json: json, status: status, contentType: "application/problem+json")
        switch code {
        case .missingToken: response.headers[.wwwAuthenticate] = "Bearer realm=\"admin\""
        case .invalidToken: response.headers[.wwwAuthenticate] = "Bearer realm=\"admin\", error=\"invalid_token\""
        case .storeUnavailable: response.headers[.retryAfter] = "1"
        case .badRequest, .crossSiteRequest, .unknownTenant, .keysElsewhere, .noIssuer, .payloadTooLarge,
            .unsupportedMediaType:
            break
        }
        return response
    }

    var json: JSONObject {
        [
            "type": "about:blank",
            "title": .string(code.title),
            "status": .number(JSONNumber(status.code)),
            "detail": .string(detail),
            "code": .string(code.rawValue),
        ]
    }
}

extension Response {
    /// What the admin API answers is of the moment, and nobody else's.
    init(json: JSONObject, status: HTTPResponse.Status = .ok, contentType: String = "application/json") {
        let body = JSONWriter.bytes(of: json) + [UInt8(ascii: "\n")]
        self.init(
            status: status,
            headers: [.contentType: contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body))
        )
    }
}
