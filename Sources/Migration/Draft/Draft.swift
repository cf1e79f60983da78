package import Tenants

/// A tenants.yaml that is to be written, and what is to be told of it.
package struct Draft: Sendable, Equatable {
    /// Comments before the file's first line.
    package var heading: [String] = []
    package var listeners: [DraftListener] = []
    /// Whether clients in plain text are sent to the listener with TLS.
    package var redirectsToHTTPS: Origin?
    package var store: DraftText?
    package var trustedProxies: [DraftText] = []
    package var tenants: [DraftTenant] = []
    /// Files that the draft names and that have to be written beside it.
    package var files: [DraftFile] = []
    package var notes: [SourceNote] = []

    package init() {}

    package mutating func note(_ kind: SourceNote.Kind, _ origin: Origin, _ name: String, _ text: String) {
        let note = SourceNote(kind, origin, name, text)
        if !notes.contains(note) { notes.append(note) }
    }
}

/// A text of tenants.yaml, as it stands there: `${NAME}` is a variable.
package struct DraftText: Sendable, Equatable {
    package var text: String
    package var origin: Origin?
    package var remark: String?

    /// - Parameter literal: Taken to the letter: its `${` is none of a variable.
    package init(literal: String, _ origin: Origin? = nil, remark: String? = nil) {
        self.text = literal.replacing("${", with: "$${")
        self.origin = origin
        self.remark = remark
    }

    /// The value of an environment variable.
    package init(variable name: String, _ origin: Origin? = nil, remark: String? = nil) {
        self.text = "${\(name)}"
        self.origin = origin
        self.remark = remark
    }
}

package struct DraftListener: Sendable, Equatable {
    package var address: DraftText
    package var isTLS: Bool

    package init(_ address: DraftText, isTLS: Bool = false) {
        self.address = address
        self.isTLS = isTLS
    }
}

package struct DraftFile: Sendable, Equatable {
    package var name: String
    package var content: String
}

package struct DraftTenant: Sendable, Equatable {
    /// Comments before it.
    package var comments: [String] = []
    package var name: String
    package var hosts: [DraftText] = []
    package var pathPrefix: DraftText?
    package var stripsPrefix = false
    package var backend = DraftBackend()
    /// Beside `backend`.
    package var backends: [DraftNamedBackend] = []
    package var routes: [DraftRoute] = []
    package var certificate: DraftCertificate?
    package var tokenPlaces: [DraftText] = []
    package var issuers: [DraftIssuer] = []
    /// Seconds.
    package var leeway: DraftText?
    package var rules: [DraftRule] = []
    package var signIn: DraftSignIn?
    package var identity: [DraftHeader] = []
    package var keepsToken: DraftText?
    package var bodyBytes: DraftText?
    package var rateLimits: [DraftRateLimit] = []
    package var setFields: [DraftHeader] = []
    package var removedFields: [DraftText] = []
    /// Comments at its end: what one may want to add.
    package var hints: [String] = []

    package init(name: String) {
        self.name = name
    }
}

package struct DraftBackend: Sendable, Equatable {
    package var servers: [DraftServer] = []
    package var balance: DraftText?
    package var connectTimeout: DraftText?
    package var responseTimeout: DraftText?
    package var healthPath: DraftText?
    package var caFile: DraftText?
    package var serverName: DraftText?
    package var certificateFile: DraftText?
    package var keyFile: DraftText?
}

package struct DraftServer: Sendable, Equatable {
    package var url: DraftText
    package var weight = 1
}

package struct DraftCertificate: Sendable, Equatable {
    package var chain: DraftText
    package var key: DraftText
    package var clientAuthorities: DraftText?
}

package struct DraftIssuer: Sendable, Equatable {
    package enum Keys: Sendable, Equatable {
        case discovery
        case setURL(DraftText)
        case setFile(DraftText)
        case secret(DraftText)
    }

    package var issuer: DraftText?
    package var audiences: [DraftText] = []
    package var algorithms: [String] = []
    package var preset: PresetEntry?
    /// nil for those that the preset knows.
    package var keys: Keys?
    package var comments: [String] = []
}

package struct DraftRule: Sendable, Equatable {
    /// A pattern of `access`.
    package var path: String
    package var methods: [String] = []
    package var decision: DraftDecision
    package var origin: Origin?
    package var remark: String?
}

/// A field's name, and its claim or value.
package struct DraftHeader: Sendable, Equatable {
    package var name: String
    package var value: DraftText
}

package struct DraftRateLimit: Sendable, Equatable {
    package var rate: DraftText
    package var burst: Int
    package var path: String?
}
