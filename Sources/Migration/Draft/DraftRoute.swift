/// A route of a drafted tenant.
package struct DraftRoute: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// By name; `default` is the tenant's `backend`.
        case backend(String)
        case split([Share])
        case redirect(to: String, status: Int)
        case respond(status: Int, body: String?)
    }

    package struct Share: Sendable, Equatable {
        package var backend: String
        package var weight: Int
    }

    /// A pattern of `routes`.
    package var path: String
    package var methods: [String] = []
    /// What the fields of a request must be.
    package var headers: [DraftHeader] = []
    package var action: Action
    package var rewrite: String?
    package var responseTimeout: DraftText?
    package var bodyBytes: DraftText?
    package var mirror: Share?
    package var origin: Origin?
    package var remark: String?
}

/// A backend of a drafted tenant besides its `default`.
package struct DraftNamedBackend: Sendable, Equatable {
    package var name: String
    package var backend: DraftBackend
}

extension DraftTenant {
    /// Adds a backend, unless there is the same one.
    ///
    /// - Parameters:
    ///   - wanted: The name that it gets, if it is free and can be one.
    ///   - timeout: Set to the backend's, if the one that is there has another.
    /// - Returns: Its name.
    mutating func addBackend(
        _ backend: DraftBackend,
        named wanted: String,
        timeout: inout DraftText?
    ) -> String {
        let all = [DraftNamedBackend(name: "default", backend: self.backend)] + backends
        if let known = all.first(where: { $0.backend.isSame(as: backend) }) {
            if known.backend.responseTimeout?.text != backend.responseTimeout?.text {
                timeout = backend.responseTimeout
            }
            return known.name
        }
        let base = Draft.tenantName(host: wanted)
        var name = base
        var number = 2
        while name == "default" || backends.contains(where: { $0.name == name }) {
            name = "\(base)-\(number)"
            number += 1
        }
        backends.append(DraftNamedBackend(name: name, backend: backend))
        return name
    }
}

extension DraftBackend {
    /// Whether it is the same but for the time that it may take, which a route may have of its own.
    fileprivate func isSame(as other: DraftBackend) -> Bool {
        var (one, two) = (self, other)
        (one.responseTimeout, two.responseTimeout) = (nil, nil)
        return one == two
    }
}
