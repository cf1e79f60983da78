/// The reply to Envoy's query.
public enum CheckReply: Sendable, Equatable {
    /// It may go to the backend with these changes.
    case granted(RequestChanges)
    /// The client gets this response instead.
    case denied(status: Int, fields: [AuthzField], body: [UInt8])
}

/// The changes of a request on its way to the backend.
public struct RequestChanges: Sendable, Equatable {
    /// Each replaces all fields of its name.
    public var set: [AuthzField]
    /// Names of fields.
    public var remove: [[UInt8]]
    /// Names of parameters as in the query, not decoded.
    public var removeParameters: [[UInt8]]

    public init(set: [AuthzField] = [], remove: [[UInt8]] = [], removeParameters: [[UInt8]] = []) {
        self.set = set
        self.remove = remove
        self.removeParameters = removeParameters
    }
}

extension CheckReply {
    var message: Envoy_Service_Auth_V3_CheckResponse {
        switch self {
        case .granted(let changes): Self.granted(changes)
        case .denied(let status, let fields, let body): Self.denied(status, fields, body)
        }
    }

    private static func granted(_ changes: RequestChanges) -> Envoy_Service_Auth_V3_CheckResponse {
        var response = Envoy_Service_Auth_V3_OkHttpResponse()
        response.headersToRemove = changes.remove.map { String(decoding: $0, as: UTF8.self) }
        response.queryParametersToRemove = changes.removeParameters.map { String(decoding: $0, as: UTF8.self) }
        for field in changes.set {
            if let option = option(field, adds: false) {
                response.headers.append(option)
            } else {
                // It cannot be set to its proper value, and must not keep the present one.
                response.headersToRemove.append(String(decoding: field.name, as: UTF8.self))
            }
        }
        return .with {
            $0.status.code = Code.ok
            $0.okResponse = response
        }
    }

    private static func denied(_ status: Int, _ fields: [AuthzField], _ body: [UInt8])
        -> Envoy_Service_Auth_V3_CheckResponse
    {
        var response = Envoy_Service_Auth_V3_DeniedHttpResponse()
        response.status.code = Envoy_Type_V3_StatusCode(rawValue: status) ?? .forbidden
        var names: Set<[UInt8]> = []
        response.headers = fields.compactMap { field in
            let isFirst = names.insert(field.name).inserted
            return option(field, adds: !isFirst)
        }
        response.body = String(decoding: body, as: UTF8.self)
        return .with {
            $0.status.code = status == 401 ? Code.unauthenticated : Code.permissionDenied
            $0.deniedResponse = response
        }
    }

    /// - Parameter adds: Whether it is added to existing fields of its name, or replaces them.
    /// - Returns: Nil if it is not valid text, which Envoy would not accept.
    private static func option(_ field: AuthzField, adds: Bool) -> Envoy_Config_Core_V3_HeaderValueOption? {
        guard let value = String(validating: field.value, as: UTF8.self) else { return nil }
        return .with {
            $0.header.key = String(decoding: field.name, as: UTF8.self)
            $0.header.value = value
            if adds {
                // The same in the older field, for versions of Envoy that know no other; the two must agree.
                $0.append.value = true
            } else {
                $0.appendAction = .overwriteIfExistsOrAdd
            }
        }
    }

    /// Of google.rpc.Code.
    private enum Code {
        static let ok: Int32 = 0
        static let permissionDenied: Int32 = 7
        static let unauthenticated: Int32 = 16
    }
}
