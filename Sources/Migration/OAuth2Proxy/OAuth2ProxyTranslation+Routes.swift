/// Where oauth2-proxy sends the requests below a path.
struct OAuth2ProxyMount {
    /// Without `/` at its end, unless it is `/`.
    var path: String
    var servers: [DraftText]
    var origin: Origin?
    /// The path that its servers see instead, without `/` at its end.
    var rewrite: String?
    /// Whether nothing may be forwarded.
    var isClosed = false

    func tenantName(_ root: String) -> String {
        let part = path.split(separator: "/").last.map { Draft.tenantName(host: String($0)) } ?? "more"
        return "\(root)-\(part)"
    }
}

extension OAuth2ProxyTranslation {
    /// The first is for `/`.
    mutating func mounts() throws(UntranslatableFile) -> [OAuth2ProxyMount] {
        var mounts: [OAuth2ProxyMount] = []
        for setting in settings where setting.name == "upstreams" {
            for value in setting.values { add(value, setting.origin, to: &mounts) }
        }
        for setting in settings where setting.name == OAuth2ProxyAlpha.rewritten { addRewritten(setting, to: &mounts) }
        if !answers.backends.isEmpty, !mounts.contains(where: { $0.path == "/" }) {
            let servers = answers.backends.map { DraftText(literal: $0) }
            mounts.insert(OAuth2ProxyMount(path: "/", servers: servers), at: 0)
        }
        if let index = mounts.firstIndex(where: { $0.path == "/" }) {
            mounts.insert(mounts.remove(at: index), at: 0)
        } else if let first = mounts.first {
            let origin = first.origin ?? Origin(file: file, line: 1)
            draft.note(.closed, origin, "upstreams", "none is for /: all paths that the others do not have are closed")
            mounts.insert(OAuth2ProxyMount(path: "/", servers: first.servers, origin: origin, isClosed: true), at: 0)
        } else {
            throw UntranslatableFile(
                "\(file): no upstream that requests are forwarded to: add --backend http://host:port"
            )
        }
        return mounts
    }

    private mutating func add(_ value: String, _ origin: Origin, to mounts: inout [OAuth2ProxyMount]) {
        guard let url = SourceURL(value), ["http", "https"].contains(url.scheme) else {
            let path = value.split(separator: "#", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
            if let answer = Self.fixedAnswer(value, at: path, origin) {
                fixedAnswers.append(answer)
                return
            }
            draft.note(.lost, origin, "upstreams", "files, sockets and fixed answers are not served here")
            if path.count > 1, let rule = closedRule(below: path, origin) { unserved.append(rule) }
            return
        }
        var path = url.path.isEmpty ? "/" : url.path
        if path.count > 1, path.hasSuffix("/") {
            path.removeLast()
        } else if path != "/" {
            draft.note(.changed, origin, "upstreams", "\(path) is that path alone there; here it is all below it too")
        }
        guard path == "/" || PathMatcher.below(path).nearest != nil, !mounts.contains(where: { $0.path == path }) else {
            draft.note(.lost, origin, "upstreams", "\(path) is no path_prefix, or has an upstream already")
            return
        }
        mounts.append(OAuth2ProxyMount(path: path, servers: [DraftText(literal: url.origin, origin)], origin: origin))
    }

    /// `static://202#/ping/` as a route; nil for all else.
    private static func fixedAnswer(_ value: String, at path: String, _ origin: Origin) -> DraftRoute? {
        guard value.hasPrefix("static://"), path.count > 1,
            let status = Int(value.dropFirst(9).prefix { $0 != "#" && $0 != "/" }), (200...599).contains(status),
            !(300..<400).contains(status)
        else { return nil }
        let isBelow = path.hasSuffix("/")
        let matcher = isBelow ? PathMatcher.below(String(path.dropLast())) : .exact(path)
        guard let pattern = matcher.nearest?.pattern else { return nil }
        return DraftRoute(path: pattern, action: .respond(status: status, body: "Authenticated"), origin: origin)
    }

    /// - Parameter setting: The server, the path and what stands for it.
    private mutating func addRewritten(_ setting: OAuth2ProxySetting, to mounts: inout [OAuth2ProxyMount]) {
        guard setting.values.count == 3, !mounts.contains(where: { $0.path == setting.values[1] }) else { return }
        mounts.append(
            OAuth2ProxyMount(
                path: setting.values[1],
                servers: [DraftText(literal: setting.values[0], setting.origin)],
                origin: setting.origin,
                rewrite: setting.values[2]
            )
        )
    }

    private func closedRule(below path: String, _ origin: Origin) -> SourceRule? {
        let below = path.hasSuffix("/") ? String(path.dropLast()) : path
        return SourceRule(matcher: .below(below), decision: .closed, origin: origin, name: "upstreams")
    }

    mutating func rules(isClosed: Bool) -> [DraftRule] {
        var rules = unserved
        if let setting = setting("skip_auth_preflight"), setting.isOn {
            rules.append(
                SourceRule(
                    matcher: .all,
                    methods: ["OPTIONS"],
                    decision: .open,
                    origin: setting.origin,
                    name: setting.name
                )
            )
        }
        for setting in settings where ["skip_auth_routes", "skip_auth_regex"].contains(setting.name) {
            for value in setting.values { rules.append(openRule(value, setting)) }
        }
        let translated = SourceRules.translate(rules, otherwise: isClosed ? .closed : .anyCaller)
        for note in translated.notes where !draft.notes.contains(note) { draft.notes.append(note) }
        return translated.rules
    }

    /// `GET=^/health$`, `^/assets/`, or `POST!=^/api/`, which opens all but.
    private func openRule(_ value: String, _ setting: OAuth2ProxySetting) -> SourceRule {
        var regex = value
        var methods: [String] = []
        let method = value.prefix { $0.isASCII && $0.isLetter }
        let rest = value.dropFirst(method.count)
        if rest.hasPrefix("!=") || setting.name == "skip_auth_regex" && value.isEmpty {
            return SourceRule(matcher: .untold(value), decision: .open, origin: setting.origin, name: setting.name)
        }
        if rest.hasPrefix("="), setting.name == "skip_auth_routes" {
            methods = method.isEmpty ? [] : [method.uppercased()]
            regex = String(rest.dropFirst())
        }
        let (matcher, isNarrower) = RegexPath.matcher(regex, isWhole: false)
        return SourceRule(
            matcher: matcher,
            methods: methods,
            decision: .open,
            origin: setting.origin,
            name: setting.name,
            isNarrower: isNarrower
        )
    }
}
