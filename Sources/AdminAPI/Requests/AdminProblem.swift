import HTTPTypes
import Hummingbird
import NIOCore
import Verification

/// An error of the admin API. ``AdminProblemMiddleware`` turns it into a response.
struct AdminProblem: Error, Equatable {
    /// For programs; each has one status and one title.
    enum Code: String, CaseIterable {
        case badRequest = "bad_request"
        case missingToken = "missing_token"
        case invalidToken = "invalid_token"
        case crossSiteRequest = "cross_site_request"
        case insufficientScope = "insufficient_scope"
        case unknownTenant = "unknown_tenant"
        case unknownAccount = "unknown_account"
        case unknownPasskey = "unknown_passkey"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case tenantRefused = "tenant_refused"
        case preconditionRequired = "precondition_required"
        case versionChanged = "version_changed"
        case hostTaken = "host_taken"
        case tenantInFile = "tenant_in_file"
        case tenantsNotStored = "tenants_not_stored"
        case tooManyTenants = "too_many_tenants"
        case noSealingKey = "no_sealing_key"
        case keysElsewhere = "keys_elsewhere"
        case noIssuer = "no_issuer"
        case noAccounts = "no_accounts"
        case payloadTooLarge = "payload_too_large"
        case unsupportedMediaType = "unsupported_media_type"
        case configurationRefused = "configuration_refused"
        case internalError = "internal_error"
        case storeUnavailable = "store_unavailable"
        case tooManyStreams = "too_many_streams"
    }

    var code: Code
    /// For people; contains no token.
    var detail: String
    /// Further members of the response.
    var members: JSONObject = [:]

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    static func badRequest(_ detail: String) -> AdminProblem { AdminProblem(.badRequest, detail) }
}

extension AdminProblem.Code {
    var status: HTTPResponse.Status {
        switch self {
        case .badRequest, .tenantRefused: .badRequest
        case .preconditionRequired: .preconditionRequired
        case .versionChanged: .preconditionFailed
        case .missingToken, .invalidToken: .unauthorized
        case .crossSiteRequest, .insufficientScope: .forbidden
        case .unknownTenant, .unknownAccount, .unknownPasskey, .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .keysElsewhere, .noIssuer, .noAccounts, .hostTaken, .tenantInFile, .tenantsNotStored, .tooManyTenants,
            .noSealingKey:
            .conflict
        case .payloadTooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .configurationRefused: .unprocessableContent
        case .internalError: .internalServerError
        case .storeUnavailable, .tooManyStreams: .serviceUnavailable
        }
    }

    /// A short heading for people (RFC 9457 section 3.1.3).
    var title: String {
        switch self {
        case .badRequest: "The request is malformed"
        case .missingToken: "The admin token is needed"
        case .invalidToken: "The admin token is another one"
        case .crossSiteRequest: "The request comes from another site"
        case .insufficientScope: "The admin token may not do this"
        case .unknownTenant: "There is no such tenant"
        case .unknownAccount: "There is no such account"
        case .unknownPasskey: "There is no such passkey"
        case .notFound: "There is no such endpoint"
        case .methodNotAllowed: "The endpoint has no such method"
        case .tenantRefused: "The tenant has mistakes"
        case .preconditionRequired: "The write says not what it expects"
        case .versionChanged: "The tenant is another version"
        case .hostTaken: "A host is another tenant's"
        case .tenantInFile: "The tenant is in tenants.yaml"
        case .tenantsNotStored: "Tenants come from files alone"
        case .tooManyTenants: "There are too many tenants"
        case .noSealingKey: "Nothing can be sealed"
        case .keysElsewhere: "The keys are not the gateway's to change"
        case .noIssuer: "The tenant has no issuer of its own"
        case .noAccounts: "The tenant keeps no accounts"
        case .payloadTooLarge: "The body is too large"
        case .unsupportedMediaType: "The body is of another type"
        case .configurationRefused: "The configuration has mistakes"
        case .internalError: "The gateway has failed"
        case .storeUnavailable: "The store is not available"
        case .tooManyStreams: "Too many streams are open"
        }
    }
}

extension AdminProblem {
    /// RFC 9457.
    var json: JSONObject {
        var json: JSONObject = [
            "type": "about:blank",
            "title": .string(code.title),
            "status": .number(JSONNumber(code.status.code)),
            "detail": .string(detail),
            "code": .string(code.rawValue),
        ]
        for member in members.members { json[member.name] = member.value }
        return json
    }
}

extension Response {
    init(json: JSONObject, status: HTTPResponse.Status = .ok, contentType: String = "application/json") {
        self.init(status, contentType, ByteBuffer(bytes: JSONWriter.bytes(of: json) + [UInt8(ascii: "\n")]))
    }

    init(text: String, status: HTTPResponse.Status = .ok, contentType: String = "text/plain; charset=utf-8") {
        self.init(status, contentType, ByteBuffer(string: text))
    }

    /// Responses are for one client at one moment: they are never cached.
    private init(_ status: HTTPResponse.Status, _ contentType: String, _ body: ByteBuffer) {
        self.init(
            status: status,
            headers: [.contentType: contentType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
            body: .init(byteBuffer: body)
        )
    }
}
