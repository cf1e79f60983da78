extension Route {
    /// What becomes of its requests, for people.
    ///
    /// - Parameter tenant: Whose route it is.
    public func text(of tenant: Tenant) -> String {
        switch action {
        case .redirect(let redirect): return "\(redirect.status) to \(redirect.origin ?? "")\(redirect.path)"
        case .respond(let response): return "the gateway answers \(response.status) by itself"
        case .forward(let forwarding):
            let shares = forwarding.shares.map { share in
                let name = tenant.backends[share.backend].name
                return forwarding.shares.count > 1 ? "\(name) (weight \(share.weight))" : name
            }
            var text = "backend \(shares.joined(separator: ", "))"
            if let rewrite = forwarding.rewrite { text += ", which sees it as \(rewrite)" }
            if let mirror = forwarding.mirror {
                text += "; \(tenant.backends[mirror.backend].name) gets a copy of \(mirror.percent) %"
            }
            return text
        }
    }
}
