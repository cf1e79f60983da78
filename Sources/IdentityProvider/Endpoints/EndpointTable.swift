public import Tenants

/// The paths of a tenant's endpoints on its host.
public struct EndpointTable: Sendable {
    private struct Entry: Sendable {
        let path: [UInt8]
        let endpoint: Endpoint
        /// Whether case is ignored: a backend that ignores case must not be reachable past the check.
        let ignoresCase: Bool
        /// Nil: requests with any method are the endpoint's.
        var method: [UInt8]?
    }

    private let entries: [Entry]
    /// Those below `/.gatehouse`. Separate: most tenants have no other endpoints, and compare no other path with them.
    private let ownEntries: [Entry]
    /// One bit per length: excludes nearly every other path without reading its bytes.
    private let lengths: UInt64

    public init(_ tenant: Tenant) {
        var entries: [Entry] = []
        func add(_ path: String?, _ endpoint: Endpoint, ignoresCase: Bool = false, method: String? = nil) {
            guard let path else { return }
            let bytes = Self.withoutSlash(Array(path.utf8))
            guard !entries.contains(where: { $0.path == bytes }) else { return }
            let method = method.map { Array($0.utf8) }
            entries.append(Entry(path: bytes, endpoint: endpoint, ignoresCase: ignoresCase, method: method))
        }
        if let signIn = tenant.signIn {
            let apple = signIn.apple
            add(apple?.path.description, .appleExchange, ignoresCase: apple?.then == .forward)
            add(apple?.notifications?.description, .appleNotifications, ignoresCase: apple?.then == .forward)
            add(signIn.google?.path.description, .googleExchange, ignoresCase: signIn.google?.then == .forward)
            for named in signIn.named {
                let exchange = named.exchange
                add(exchange?.path.description, .namedExchange, ignoresCase: exchange?.then == .forward)
            }
            add(signIn.web?.login.description, .webLogin)
            if let web = signIn.web {
                let callbacks = signIn.pageProviders.map(web.callback(of:))
                for path in web.provider == nil ? callbacks : [web.callback.description] { add(path, .webCallback) }
            }
            add(signIn.endpoints.refresh?.description, .sessionRefresh)
            add(signIn.endpoints.validate?.description, .sessionValidate)
            add(signIn.endpoints.me?.description, .sessionMe)
            add(signIn.endpoints.logout?.description, .sessionLogout)
            add(signIn.accountPage?.description, .accountPage)
            if signIn.passkeys != nil {
                add(signIn.accountPage?.below(.script), .passkeyScript)
                add(signIn.accountPage?.below(.signIn), .passkeySignIn)
            }
            if let deletion = signIn.deletion {
                add(deletion.path.description, .accountDeletion, method: deletion.method)
                add(deletion.receiptPath, .deletionReceipt)
            }
        }
        if let issuer = tenant.issuer {
            for path in IssuerPath.allCases where path != .appleExchange || tenant.signIn?.apple?.then == .issue {
                add(issuer.basePath + path.rawValue, Endpoint(path))
            }
            for named in tenant.signIn?.named ?? [] {
                add(issuer.basePath + IssuerPath.callback(of: .named(named.name)), .namedCallback)
            }
        }
        let prefix = tenant.pathPrefix ?? ""
        let ownEntries = tenant.hasTrustedSenders ? SignalPath.allCases.map { Self.entry($0, below: prefix) } : []
        // Elsewhere such paths are the backend's, as the prefix is.
        let isBackends = !prefix.isEmpty && !tenant.stripPrefix
        if isBackends { entries += ownEntries }
        self.ownEntries = isBackends ? [] : ownEntries
        self.entries = entries
        lengths = entries.reduce(0) { $0 | 1 << UInt64($1.path.count & 63) }
    }

    private static func entry(_ path: SignalPath, below prefix: String) -> Entry {
        let endpoint =
            switch path {
            case .backChannelLogout: Endpoint.backChannelLogout
            case .signals: Endpoint.signals
            }
        return Entry(path: Array((prefix + path.rawValue).utf8), endpoint: endpoint, ignoresCase: false)
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// - Parameters:
    ///   - path: Percent-decoded, without dot segments. A trailing slash is ignored.
    ///   - method: The request's: there are endpoints whose path is the backend's for other methods.
    public func endpoint(at path: Span<UInt8>, method: Span<UInt8>) -> Endpoint? {
        guard let entry = entry(at: path) else { return nil }
        if let own = entry.method {
            guard method.count == own.count, own.indices.allSatisfy({ method[$0] == own[$0] }) else { return nil }
        }
        return entry.endpoint
    }

    /// - Parameter path: Percent-decoded, without dot segments, below `/.gatehouse`.
    public func ownEndpoint(at path: Span<UInt8>) -> Endpoint? {
        ownEntries.first { $0.path.count == path.count && Self.isSame(path, $0) }?.endpoint
    }

    /// The endpoint's path as configured; nil if there is no such endpoint.
    public func configuredPath(of path: Span<UInt8>) -> [UInt8]? { entry(at: path)?.path }

    private func entry(at path: Span<UInt8>) -> Entry? {
        var count = path.count
        if count > 1, path[count - 1] == UInt8(ascii: "/") { count -= 1 }
        guard lengths >> UInt64(count & 63) & 1 == 1 else { return nil }
        for entry in entries where entry.path.count == count {
            if Self.isSame(path, entry) { return entry }
        }
        return nil
    }

    private static func isSame(_ path: Span<UInt8>, _ entry: Entry) -> Bool {
        for index in entry.path.indices {
            let (byte, wanted) = (path[index], entry.path[index])
            if byte == wanted { continue }
            guard entry.ignoresCase, byte.lowercasedASCII == wanted.lowercasedASCII else { return false }
        }
        return true
    }

    private static func withoutSlash(_ path: [UInt8]) -> [UInt8] {
        path.count > 1 && path.last == UInt8(ascii: "/") ? Array(path.dropLast()) : path
    }
}

extension Endpoint {
    fileprivate init(_ path: IssuerPath) {
        self =
            switch path {
            case .openIDConfiguration, .authorizationServer: .discovery
            case .keySet: .jwks
            case .authorize: .authorize
            case .appleCallback: .appleCallback
            case .googleCallback: .googleCallback
            case .token: .token
            case .revoke: .revoke
            case .introspect: .introspect
            case .userInfo: .userInfo
            case .logout: .logout
            case .appleExchange: .appleExchange
            }
    }
}
