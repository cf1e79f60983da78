/// What is seen of the client that uses a session, for people to tell their sessions apart. It proves nothing.
public struct SeenClient: Sendable, Equatable {
    /// Its description of itself (`User-Agent`); nil if it gives none.
    public var device: String?
    /// Its address in text; nil if unknown.
    public var address: String?

    public init(device: String?, address: String?) {
        self.device = device
        self.address = address
    }
}

extension SeenClient {
    /// The longest address in text (RFC 4291 section 2.2).
    static let longestAddress = 45

    init(_ request: EndpointRequest) {
        self.init(device: request.fields.userAgent, address: ClientAddressText.text(of: request.clientAddress))
    }
}
