import Counting
import HTTPCore
import Tenants

/// A request that a tenant answers for, with its path in the one reading that counts. Only ``RequestRouter`` makes one.
struct RoutedRequest {
    let tenant: TenantRuntime
    let target: RequestTarget
    let path: Path

    enum Path: Equatable {
        /// Canonical where it stands in the head.
        case asReceived
        /// Held by the router until its next request.
        case rewritten
        /// `/` for an absolute target without a path, `*` for the asterisk form.
        case literal(StaticPath)
        /// Observe mode only: not canonical, forwarded byte for byte, matched by no rule.
        case ambiguous
    }

    enum StaticPath: Equatable {
        case root
        case asterisk
    }

    fileprivate init(tenant: TenantRuntime, target: RequestTarget, path: Path) {
        self.tenant = tenant
        self.target = target
        self.path = path
    }
}

/// Finds the tenant of a request. One an event loop: its buffers are used again for each request.
final class RequestRouter {
    enum Outcome {
        case routed(RoutedRequest)
        case refused(Refusal, tenant: TenantRuntime?)
    }

    private(set) var host: [UInt8] = []
    private(set) var canonical = CanonicalPath()
    private let directory: TenantDirectory
    private let tenants: [TenantRuntime]
    private static let root: [UInt8] = [UInt8(ascii: "/")]
    private static let asterisk: [UInt8] = [UInt8(ascii: "*")]
    private static let ours = Array("/.gatehouse".utf8)

    init(directory: TenantDirectory, tenants: [TenantRuntime]) {
        self.directory = directory
        self.tenants = tenants
        host.reserveCapacity(256)
    }

    func route(_ head: RequestHead, _ bytes: Span<UInt8>) -> Outcome {
        do throws(HTTPViolation) {
            let target = try RequestTarget(bytes, method: head.method, target: head.target)
            try readHost(head, bytes, target)
            return route(target, bytes)
        } catch {
            return .refused(Refusal(error), tenant: nil)
        }
    }

    /// The path that rules are matched on.
    func withMatchedPath<Result>(
        _ request: RoutedRequest,
        _ bytes: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        switch request.path {
        case .asReceived, .ambiguous: body(bytes.extracting(request.target.path))
        case .rewritten: Self.with(canonical.decoded, body)
        case .literal(.root): Self.with(Self.root, body)
        case .literal(.asterisk): Self.with(Self.asterisk, body)
        }
    }

    /// Whether the path passes the test as it is matched on, or with its slashes merged, its parameters dropped or both,
    /// as a backend may read it.
    func inAnyReading(_ request: RoutedRequest, _ bytes: Span<UInt8>, _ test: (Span<UInt8>) -> Bool) -> Bool {
        if withMatchedPath(request, bytes, test) { return true }
        guard request.path == .rewritten, let reduced = canonical.reduced else { return false }
        return test(reduced.span) || canonical.partlyReduced.contains { test($0.span) }
    }

    /// The path that the backend gets, before a prefix is taken off.
    func withForwardedPath<Result>(
        _ request: RoutedRequest,
        _ bytes: Span<UInt8>,
        _ body: (Span<UInt8>) -> Result
    ) -> Result {
        request.path == .rewritten
            ? Self.with(canonical.forwarded, body) : withMatchedPath(request, bytes, body)
    }

    private static func with<Result>(_ bytes: [UInt8], _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span)
    }

    private func readHost(_ head: RequestHead, _ bytes: Span<UInt8>, _ target: RequestTarget) throws(HTTPViolation) {
        host.removeAll(keepingCapacity: true)
        // Host must be good even where the target's authority wins: another reader might use it.
        if let index = head.host {
            try RequestHost.read(bytes, head.fields[index].value, into: &host)
        }
        if let authority = target.authority {
            try RequestHost.read(bytes, authority, into: &host)
        }
    }

    private func route(_ target: RequestTarget, _ bytes: Span<UInt8>) -> Outcome {
        if target.isAsterisk {
            return Self.with(Self.asterisk) { route(target, .literal(.asterisk), matching: $0) }
        }
        if target.path.isEmpty {
            return Self.with(Self.root) { route(target, .literal(.root), matching: $0) }
        }
        let path = bytes.extracting(target.path)
        switch canonical.read(path) {
        case .asReceived: return route(target, .asReceived, matching: path)
        case .rewritten: return Self.with(canonical.decoded) { route(target, .rewritten, matching: $0) }
        case .ambiguous(let violation):
            let refusal = Refusal(.ambiguousPath, status: 400, detail: violation.reason.description)
            guard let index = Self.with(Self.root, tenantIndex) else {
                return .refused(refusal, tenant: nil)
            }
            let tenant = tenants[index]
            guard tenant.tenant.mode == .observe, tenant.tenant.pathPrefix == nil, isSurelyOfRoot(path) else {
                return .refused(refusal, tenant: tenant)
            }
            return .routed(RoutedRequest(tenant: tenant, target: target, path: .ambiguous))
        }
    }

    /// Whether nobody can read an ambiguous path as one of the gateway's own, nor as one below a path prefix of the host.
    private func isSurelyOfRoot(_ path: Span<UInt8>) -> Bool {
        let decoded = FullyDecodedPath(path)
        guard !decoded.mayNameOurs else { return false }
        guard hostHasPathPrefix else { return true }
        guard let segments = decoded.segments else { return false }
        let host = self.host
        return !directory.hasPathPrefix(host: host.span, amongSegments: segments)
    }

    private func route(_ target: RequestTarget, _ path: RoutedRequest.Path, matching: Span<UInt8>) -> Outcome {
        let index = tenantIndex(matching)
        if path == .rewritten, let reduced = canonical.reduced {
            // A prefix has neither empty segments nor parameters: a reading that merges or drops only in part has the
            // prefixes of the canonical one, and none that the wholly reduced one has not.
            let other = Self.with(reduced, tenantIndex)
            if other != index {
                return .refused(.severalTenants, tenant: (index ?? other).map { tenants[$0] })
            }
        }
        guard let index else {
            return .refused(.unknownHost, tenant: nil)
        }
        let tenant = tenants[index]
        if isOurs(matching, tenant) { return .refused(.ours, tenant: tenant) }
        if path == .rewritten, let reduced = canonical.reduced, Self.with(reduced, { isOurs($0, tenant) }) {
            return .refused(.ours, tenant: tenant)
        }
        return .routed(RoutedRequest(tenant: tenant, target: target, path: path))
    }

    /// Whether the host of the request just routed has tenants with a path prefix.
    var hostHasPathPrefix: Bool {
        let host = self.host
        return directory.hasPathPrefix(host: host.span)
    }

    /// The tenant that the request would have had under another host.
    func tenant(ofHost host: [UInt8], _ request: RoutedRequest, _ bytes: Span<UInt8>) -> TenantRuntime? {
        let index = withMatchedPath(request, bytes) { directory.tenant(host: host.span, path: $0) }
        return index.map { tenants[$0] }
    }

    private func tenantIndex(_ path: Span<UInt8>) -> Int? {
        let host = self.host
        return directory.tenant(host: host.span, path: path)
    }

    /// Whether the path is ours as the client or as the backend would see it.
    private func isOurs(_ path: Span<UInt8>, _ tenant: TenantRuntime) -> Bool {
        if Self.isOurs(path) { return true }
        var start = tenant.strippedPrefix.count
        guard start > 0, start < path.count else { return false }
        // What is forwarded begins with one slash, however many follow the prefix.
        while start + 1 < path.count, path[start + 1] == UInt8(ascii: "/") { start += 1 }
        return Self.isOurs(path.extracting(start..<path.count))
    }

    /// Whether the path is under `/.gatehouse`, which never reaches a backend.
    private static func isOurs(_ path: Span<UInt8>) -> Bool {
        guard path.count >= ours.count, path[1] == UInt8(ascii: ".") else { return false }
        for index in ours.indices where path[index] != ours[index] {
            return false
        }
        return path.count == ours.count || path[ours.count] == UInt8(ascii: "/")
    }
}
