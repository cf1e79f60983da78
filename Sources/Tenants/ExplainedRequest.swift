/// A request to explain: what a client would send, and from which address.
public struct ExplainedRequest: Sendable {
    /// Why a request cannot be explained. Repeats nothing of the input.
    public struct Mistake: Error, Equatable {
        /// `method`, `path`, `host`, `token`, `header` or `address`.
        public var part: String
        /// To be read after the part's name.
        public var remedy: String
    }

    private static let defaultAddress = "127.0.0.1"

    private let method: String
    private let target: String
    private let host: String?
    /// Never shown.
    private let token: String?
    private let fields: [(name: String, value: String)]
    /// Of the client's end of the connection.
    public let address: String

    /// - Parameters:
    ///   - method: As it is sent.
    ///   - target: Path and query, as they are sent.
    ///   - host: nil: the tenant's first host.
    ///   - token: Sent where the tenant looks for tokens first; nil: no caller.
    ///   - fields: Further fields of the head.
    ///   - address: The client's; nil: the loopback address.
    public init(
        method: String,
        target: String,
        host: String? = nil,
        token: String? = nil,
        fields: [(name: String, value: String)] = [],
        address: String? = nil
    ) throws(Mistake) {
        guard NetworkText.isToken(method) else {
            throw Mistake(part: "method", remedy: "must be a method like GET, in capitals")
        }
        guard target.hasPrefix("/") || target == "*", Self.isVisible(target), !target.contains("#") else {
            throw Mistake(part: "path", remedy: "must begin with \"/\" and be written as it is sent, without spaces")
        }
        if let host, !Self.isVisible(host) { throw Mistake(part: "host", remedy: "must be a host's name") }
        if let token, !Self.isVisible(token) {
            throw Mistake(part: "token", remedy: "must be one compact token, without spaces or line ends")
        }
        for field in fields {
            guard NetworkText.isToken(field.name) else {
                throw Mistake(part: "header", remedy: "must be a name of letters, digits and \"-\", and a value")
            }
            guard !["host", "transfer-encoding"].contains(field.name.lowercased()) else {
                throw Mistake(part: "header", remedy: "cannot be Host, which is given separately, or Transfer-Encoding")
            }
            guard field.value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
                throw Mistake(part: "header", remedy: "must have a value on one line, without control characters")
            }
        }
        if let address, IPAddress(address) == nil {
            throw Mistake(part: "address", remedy: "must be an IP address, like 203.0.113.7")
        }
        self.method = method
        self.target = target
        self.host = host
        self.token = token
        self.fields = fields
        self.address = address ?? Self.defaultAddress
    }

    /// `NAME: VALUE`, as a field stands in a head.
    public static func field(_ text: String) throws(Mistake) -> (name: String, value: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw Mistake(part: "header", remedy: "must be like \"Accept: text/html\"")
        }
        let value = text[text.utf8.index(after: colon)...].drop { $0 == " " }
        return (String(text[..<colon]), String(value))
    }

    /// The head of the request for this tenant, in the form of HTTP/1.1.
    public func head(for tenant: Tenant) -> String {
        var target = target
        var lines = ["Host: \(host ?? tenant.firstHost)"]
        if let token {
            switch tenant.authenticate.from.first ?? .bearer {
            case .bearer: lines.append("Authorization: Bearer \(token)")
            case .cookie(let name): lines.append("Cookie: \(name)=\(token)")
            case .header(let name): lines.append("\(name): \(token)")
            case .query(let name): target += (target.contains("?") ? "&" : "?") + "\(name)=\(token)"
            }
        }
        lines += fields.map { "\($0.name): \($0.value)" }
        return "\(method) \(target) HTTP/1.1\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n"
    }

    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension TenantSettings {
    /// A host of the tenant; for `*.example.com` one that matches.
    fileprivate var firstHost: String {
        switch hosts.first {
        case .exact(let name): name
        case .oneLabelBelow(let name): "any.\(name)"
        case nil: name
        }
    }
}
