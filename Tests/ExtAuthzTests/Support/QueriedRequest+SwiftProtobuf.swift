import SwiftProtobuf

@testable import ExtAuthz
@testable import ExtAuthzMessages

extension Envoy_Service_Auth_V3_CheckRequest {
    /// As the service reads it.
    func read() throws -> QueriedRequest {
        let bytes: [UInt8] = try serializedBytes()
        return try QueriedRequest.read(bytes)
    }
}

extension QueriedRequest {
    static func read(_ bytes: [UInt8]) throws -> QueriedRequest { try CheckRequestReader.read(bytes.span) }

    /// Of a message that SwiftProtobuf has read.
    init(_ message: Envoy_Service_Auth_V3_CheckRequest) {
        let attributes = message.attributes
        let http = attributes.request.http
        let listed = http.headerMap.headers
        let mapped = http.headers.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        let source = Array(attributes.source.address.socketAddress.address.utf8)
        self.init(
            method: Array(http.method.utf8),
            path: Array(http.path.utf8),
            host: Array(http.host.utf8),
            scheme: Array(http.scheme.utf8),
            version: http.protocol,
            fields: mapped.map { AuthzField($0.key, $0.value) } + listed.map(Self.field),
            source: source.isEmpty ? nil : source,
            isContradictory: !listed.isEmpty && !mapped.isEmpty
                || listed.contains { !$0.value.isEmpty && !$0.rawValue.isEmpty }
        )
    }

    private static func field(_ header: Envoy_Config_Core_V3_HeaderValue) -> AuthzField {
        let value = header.rawValue.isEmpty ? Array(header.value.utf8) : Array(header.rawValue)
        return AuthzField(name: Array(header.key.utf8), value: value)
    }
}
