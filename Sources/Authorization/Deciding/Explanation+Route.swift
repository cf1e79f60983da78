package import HTTPCore
import Tenants
import Verification

/// Notes on a request before authentication.
extension Explanation {
    package func noteMalformed(_ refusal: Refusal) { note(.accept, "the request is malformed: \(refusal.detail)") }

    package func noteAccepted(_ head: RequestHead, _ bytes: Span<UInt8>) {
        note(.accept, "the request is well formed: \(Self.text(head.method, bytes))")
    }

    func note(_ outcome: RequestRouter.Outcome, _ received: ReceivedRequest, _ bytes: Span<UInt8>) {
        switch outcome {
        case .refused(let refusal, let tenant): noteUnrouted(refusal, host: received.host, tenant: tenant)
        case .routed(let request): noteRoute(request, bytes)
        }
    }

    private func noteUnrouted(_ refusal: Refusal, host: [UInt8], tenant: TenantRuntime?) {
        let host = host.isEmpty ? "no host" : "host \(Self.text(host))"
        if refusal.code != .unknownHost {
            note(.route, "\(host): \(refusal.detail)")
        } else if tenant == nil {
            note(.route, "\(host): no tenant answers for it and this path\(prefixOfExpected ?? "")")
        } else {
            note(.route, "\(host): the path is the gateway's own, and nothing that is asked about here is served there")
        }
    }

    private func noteRoute(_ request: RoutedRequest, _ bytes: Span<UInt8>) {
        let chosen = request.tenant.tenant
        let host = Self.text(request.received.host)
        let prefix = chosen.pathPrefix.map { " and path_prefix \($0)" } ?? ""
        var text = "host \(host)\(prefix): tenant \(chosen.name)"
        if let tenant, !tenant.utf8.elementsEqual(chosen.name.utf8) {
            text += ", not \(tenant)\(prefixOfExpected ?? "")"
        }
        switch request.path {
        case .ambiguous: text += "; the path can be read in several ways, and no rule is matched on it"
        case .asReceived, .rewritten, .literal:
            let path = request.request.withMatchedPath(bytes) { Self.text(0..<$0.count, $0) }
            text += "; rules see the path \(path)"
            if let reduced = request.request.reducedPath {
                text += " and, as other servers may read it, \(Self.text(reduced))"
            }
            if chosen.stripPrefix, let prefix = chosen.pathPrefix {
                text += "; the backend sees it without \(prefix) (strip_prefix)"
            }
        }
        note(.route, text, line: chosen.lines["hosts"])
        noteRoute(request.route, of: chosen)
        if isOffline, !chosen.rateLimits.isEmpty {
            note(
                .limit,
                "not looked at: requests are counted by the running gateway, which --admin URL asks",
                line: chosen.lines["rate_limits"]
            )
        }
    }

    private func noteRoute(_ route: RouteRuntime?, of tenant: Tenant) {
        guard !tenant.routes.isEmpty || tenant.defaultBackend == nil else { return }
        guard let route = route?.route else {
            let text = tenant.defaultBackend == nil ? "the tenant has no default backend" : "the default backend has it"
            return note(.route, "no route is for it: \(text)", line: tenant.lines["routes"])
        }
        let methods = route.methods.names.isEmpty ? "" : " [\(route.methods.names.joined(separator: ", "))]"
        note(.route, "route \(route.path)\(methods): \(route.text(of: tenant))", line: route.line)
    }

    /// Which paths the expected tenant has, if not all.
    private var prefixOfExpected: String? {
        guard let tenant, let pathPrefix else { return nil }
        return "; \(Self.shown(tenant)) has only \(pathPrefix) and what is below it (path_prefix)"
    }

    /// Client input made printable: other bytes are percent-encoded.
    package static func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        text(bytes.extracting(range).withUnsafeBufferPointer(Array.init))
    }

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: PercentEncoding.encode(bytes.prefix(2000)) { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }

    /// A text of a token or of tenants.yaml, on one line.
    package static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(200).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars)) + (text.unicodeScalars.count > 200 ? "…" : "")
    }

    package static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "none" : texts.prefix(20).map(shown).joined(separator: ", ")
    }
}
