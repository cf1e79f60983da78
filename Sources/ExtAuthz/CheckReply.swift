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
    /// `envoy.service.auth.v3.CheckResponse`.
    var message: [UInt8] {
        var response = ProtobufWriter()
        switch self {
        case .granted(let changes):
            response.write(1) { $0.write(1, Code.ok) }
            response.write(3) { Self.write(changes, to: &$0) }
        case .denied(let status, let fields, let body):
            response.write(1) { $0.write(1, status == 401 ? Code.unauthenticated : Code.permissionDenied) }
            response.write(2) { Self.write(status, fields, body, to: &$0) }
        }
        return response.bytes
    }

    /// OkHttpResponse: headers, headers_to_remove, query_parameters_to_remove
    private static func write(_ changes: RequestChanges, to message: inout ProtobufWriter) {
        var remove = changes.remove
        for field in changes.set where !write(field, adds: false, to: &message) {
            // It cannot be set to its proper value, and must not keep the present one.
            remove.append(field.name)
        }
        for name in remove { message.write(5, text(name)) }
        for name in changes.removeParameters { message.write(8, text(name)) }
    }

    /// DeniedHttpResponse: status (HttpStatus: code), headers, body
    private static func write(
        _ status: Int,
        _ fields: [AuthzField],
        _ body: [UInt8],
        to message: inout ProtobufWriter
    ) {
        message.write(1) { $0.write(1, status) }
        var names: Set<[UInt8]> = []
        for field in fields {
            let isFirst = names.insert(field.name).inserted
            _ = write(field, adds: !isFirst, to: &message)
        }
        message.writeUnlessEmpty(3, text(body))
    }

    /// A HeaderValueOption as field 2: header (HeaderValue: key, value), append (BoolValue: value), append_action
    ///
    /// - Parameter adds: Whether it is added to existing fields of its name, or replaces them.
    /// - Returns: Whether it was written: not if the value is not valid text, which Envoy would not accept.
    private static func write(_ field: AuthzField, adds: Bool, to message: inout ProtobufWriter) -> Bool {
        guard String(validating: field.value, as: UTF8.self) != nil else { return false }
        message.write(2) { option in
            option.write(1) { header in
                header.writeUnlessEmpty(1, text(field.name))
                header.writeUnlessEmpty(2, field.value)
            }
            if adds {
                // The same in the older field, for versions of Envoy that know no other; the two must agree.
                option.write(2) { $0.write(1, 1) }
            } else {
                option.write(3, overwriteIfExistsOrAdd)
            }
        }
        return true
    }

    /// Envoy refuses a message with a string that is not valid.
    private static func text(_ bytes: [UInt8]) -> String.UTF8View { String(decoding: bytes, as: UTF8.self).utf8 }

    /// Of HeaderValueOption.HeaderAppendAction; to add is 0.
    private static let overwriteIfExistsOrAdd = 2

    /// Of google.rpc.Code.
    private enum Code {
        static let ok = 0
        static let permissionDenied = 7
        static let unauthenticated = 16
    }
}
