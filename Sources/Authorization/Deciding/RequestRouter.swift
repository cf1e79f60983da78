import HTTPCore
package import Tenants

/// Finds the tenant and the route of a request.
package final class RequestRouter {
    package enum Outcome {
        case routed(RoutedRequest)
        case refused(Refusal, tenant: TenantRuntime?)
    }

    private let directory: TenantDirectory
    private let tenants: [TenantRuntime]
    private static let mostHosts = 8
    private static let ours = Array("/.gatehouse".utf8)

    package init(directory: TenantDirectory, tenants: [TenantRuntime]) {
        self.directory = directory
        self.tenants = tenants
    }

    /// Reads the host and the path of a parsed request, and stores them in it.
    package func route(_ received: ReceivedRequest, _ bytes: Span<UInt8>) -> Outcome {
        let head = received.head
        do throws(HTTPViolation) {
            let target = try RequestTarget(bytes, method: head.method, target: head.target)
            try Self.readHost(received, bytes, target)
            return route(received, target, bytes)
        } catch {
            return .refused(Refusal(error), tenant: nil)
        }
    }

    private static func readHost(
        _ received: ReceivedRequest,
        _ bytes: Span<UInt8>,
        _ target: RequestTarget
    ) throws(HTTPViolation) {
        // Host must be valid even if the target's authority takes precedence: another reader might use it.
        if let index = received.head.host {
            try RequestHost.read(bytes, received.head.fields[index].value, into: &received.host)
        } else {
            received.host.removeAll(keepingCapacity: true)
        }
        if let authority = target.authority {
            try RequestHost.read(bytes, authority, into: &received.host)
        }
    }

    private func route(_ received: ReceivedRequest, _ target: RequestTarget, _ bytes: Span<UInt8>) -> Outcome {
        if target.isAsterisk {
            return route(CanonicalRequest(received, target: target, path: .literal(.asterisk)), bytes)
        }
        if target.path.isEmpty {
            return route(CanonicalRequest(received, target: target, path: .literal(.root)), bytes)
        }
        let path = bytes.extracting(target.path)
        switch received.path.read(path) {
        case .asReceived: return route(CanonicalRequest(received, target: target, path: .asReceived), bytes)
        case .rewritten: return route(CanonicalRequest(received, target: target, path: .rewritten), bytes)
        case .ambiguous(let violation):
            let refusal = Refusal(.ambiguousPath, status: 400, detail: violation.reason.description)
            guard let index = tenantIndex(host: received.host, path: CanonicalRequest.root) else {
                return .refused(refusal, tenant: nil)
            }
            let tenant = tenants[index]
            guard tenant.tenant.mode == .observe, tenant.tenant.pathPrefix == nil, tenant.routes.isEmpty,
                isSurelyOfRoot(path, host: received.host)
            else {
                return .refused(refusal, tenant: tenant)
            }
            return .routed(RoutedRequest(CanonicalRequest(received, target: target, path: .ambiguous), of: tenant))
        }
    }

    /// Whether an ambiguous path cannot be read as one of the gateway's own, nor as one below a path prefix of the
    /// host.
    private func isSurelyOfRoot(_ path: Span<UInt8>, host: [UInt8]) -> Bool {
        let decoded = FullyDecodedPath(path)
        guard !decoded.mayNameOurs else { return false }
        guard directory.hasPathPrefix(host: host.span) else { return true }
        guard let segments = decoded.segments else { return false }
        return !directory.hasPathPrefix(host: host.span, amongSegments: segments)
    }

    private func route(_ request: CanonicalRequest, _ bytes: Span<UInt8>) -> Outcome {
        let host = request.received.host
        let index = request.withMatchedPath(bytes) { directory.tenant(host: host.span, path: $0) }
        let reduced = request.reducedPath
        if let reduced {
            // A prefix has neither empty segments nor parameters: a reading that merges or drops only in part has the
            // prefixes of the canonical one, and none that the wholly reduced one lacks.
            let other = tenantIndex(host: host, path: reduced)
            if other != index {
                return .refused(.severalTenants, tenant: (index ?? other).map { tenants[$0] })
            }
        }
        guard let index else { return .refused(.unknownHost, tenant: nil) }
        let tenant = tenants[index]
        let isOurs = request.withMatchedPath(bytes) { Self.isOurs($0, tenant) }
        if isOurs || reduced.map({ Self.isOurs($0.span, tenant) }) == true {
            // Nobody else sees the path, so nobody can read it in another way.
            let endpoint = request.withMatchedPath(bytes) { tenant.endpoints.ownEndpoint(at: $0) }
            guard let endpoint, reduced == nil else { return .refused(.ours, tenant: tenant) }
            return .routed(RoutedRequest(request, of: tenant, to: endpoint))
        }
        guard !tenant.routes.isEmpty else { return .routed(RoutedRequest(request, of: tenant)) }
        return route(request, of: tenant, bytes)
    }

    /// Finds the route, which must be the same however a backend reads the path.
    private func route(_ request: CanonicalRequest, of tenant: TenantRuntime, _ bytes: Span<UInt8>) -> Outcome {
        let head = request.head
        func match(_ path: Span<UInt8>) -> Int? {
            tenant.tenant.routes.firstMatch(method: bytes.extracting(head.method), path: path) {
                $0.isMet(by: head, bytes)
            }
        }
        let index = request.withMatchedPath(bytes, match)
        if let reduced = request.reducedPath {
            for other in [reduced] + request.partlyReducedPaths where match(other.span) != index {
                return .refused(.severalRoutes, tenant: tenant)
            }
        }
        let route = index.map { tenant.routes[$0] }
        if let route, route.rewritesToAnything, let rewrite = route.rewrite, !request.target.isAsterisk,
            request.withMatchedPath(bytes, { Self.isOurs(rewrite.path(of: $0).span) })
        {
            return .refused(.ours, tenant: tenant)
        }
        return .routed(RoutedRequest(request, of: tenant, by: route))
    }

    /// Whether the host of a routed request has tenants with a path prefix.
    func hostHasPathPrefix(_ request: RoutedRequest) -> Bool {
        let host = request.received.host
        return directory.hasPathPrefix(host: host.span)
    }

    /// The tenant that the request would have under another host.
    package func tenant(ofHost host: [UInt8], _ request: RoutedRequest, _ bytes: Span<UInt8>) -> TenantRuntime? {
        let index = request.request.withMatchedPath(bytes) { directory.tenant(host: host.span, path: $0) }
        return index.map { tenants[$0] }
    }

    /// The hosts of the tenants with this certificate, at most 8, as messages show them.
    func hosts(withCertificate files: ServerCertificate) -> [String] {
        var hosts: [String] = []
        for tenant in tenants where tenant.tenant.tls == files {
            hosts += tenant.tenant.hosts.map(\.description)
            if hosts.count > Self.mostHosts { return hosts.prefix(Self.mostHosts) + ["…"] }
        }
        return hosts
    }

    private func tenantIndex(host: [UInt8], path: [UInt8]) -> TenantIndex? {
        directory.tenant(host: host.span, path: path.span)
    }

    /// Whether the path is the gateway's own as the client or as the backend would see it.
    private static func isOurs(_ path: Span<UInt8>, _ tenant: TenantRuntime) -> Bool {
        if isOurs(path) { return true }
        var start = tenant.strippedPrefix.count
        guard start > 0, start < path.count else { return false }
        // The forwarded path begins with one slash, however many follow the prefix.
        while start + 1 < path.count, path[start + 1] == UInt8(ascii: "/") { start += 1 }
        return isOurs(path.extracting(start..<path.count))
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
