extension OAuth2ProxyTranslation {
    /// Tells of the settings that have no counterpart.
    ///
    /// - Returns: Whether one of them restricted who may in.
    mutating func noteOthers() -> Bool {
        var isClosed = false
        for setting in settings where note(setting) { isClosed = true }
        if texts("email_domains").isEmpty, texts("authenticated_emails_file").isEmpty {
            let empty = setting("email_domains") ?? setting("authenticated_emails_file")
            draft.note(
                .closed,
                empty?.origin ?? Origin(file: file, line: 1),
                "email_domains",
                "it is \(empty == nil ? "in none of the files" : "empty"), and oauth2-proxy lets nobody in without; if it is "
                    + "\"*\", take the closed rule out"
            )
            isClosed = true
        }
        return isClosed
    }

    /// - Parameter all: Those that are not in force too.
    mutating func noteOverridden(_ all: [OAuth2ProxySetting]) {
        for given in all where !settings.contains(given) {
            guard let counting = setting(given.name), counting.values != given.values else { continue }
            draft.note(
                .changed,
                given.origin,
                given.name,
                "left out: \(counting.origin) takes its place in oauth2-proxy"
            )
        }
    }

    private mutating func note(_ setting: OAuth2ProxySetting) -> Bool {
        let name = setting.name
        noteEmail(setting)
        noteKeycloakRoles(setting)
        if isSaidBySignIn(setting) { return false }
        switch name {
        case "email_domains":
            // That it is empty is told once for all of them.
            guard setting.values != ["*"], setting.values.contains(where: { !$0.isEmpty }) else { return false }
            draft.note(
                .closed,
                setting.origin,
                name,
                "callers of all addresses are let in here; see \"who\" of sign_in for those who sign in, or require a role in \"access\""
            )
            return true
        case "pass_user_headers" where !setting.isOn: return false
        case "pass_user_headers", "inject_request_header": noteHeader(setting)
        case "inject_response_header":
            draft.note(.lost, setting.origin, "injectResponseHeaders", "clients are not told who they are")
        case "upstreams.uri", "upstreams.rewritetarget":
            draft.note(.closed, setting.origin, name, "no route says this: see \"rewrite\" of routes")
            return true
        default: return noteByTable(setting)
        }
        return false
    }

    private mutating func noteByTable(_ setting: OAuth2ProxySetting) -> Bool {
        let name = setting.name
        if OAuth2ProxyKnown.translated.contains(name) { return false }
        if let text = OAuth2ProxyKnown.unneeded[name] {
            draft.note(.changed, setting.origin, name, text)
            return false
        }
        if let text = OAuth2ProxyKnown.opening[name] {
            draft.note(.lost, setting.origin, name, text)
            return false
        }
        if let text = OAuth2ProxyKnown.restrictions[name] {
            let isEmpty = setting.values.allSatisfy(\.isEmpty)
            if isEmpty, setting.values.isEmpty || !OAuth2ProxyKnown.lists.contains(name) { return false }
            draft.note(.closed, setting.origin, name, isEmpty ? OAuth2ProxyKnown.emptyName : text)
            return true
        }
        if name.hasPrefix("redis_") || name == "provider_ca_files" {
            draft.note(
                .lost,
                setting.origin,
                name,
                "see gateway.store for Redis; providers are verified by the system's list"
            )
            return false
        }
        closesAll = true
        draft.note(
            .closed,
            setting.origin,
            name,
            "init does not know it: if it restricts nobody, take the closed rule out"
        )
        return true
    }

    private mutating func noteHeader(_ setting: OAuth2ProxySetting) {
        guard setting.name == "inject_request_header" else {
            let text = "X-Forwarded-User and the like are not sent: name fields in identity.headers"
            draft.note(.lost, setting.origin, setting.name, text)
            return
        }
        guard let name = setting.values.first, let claim = setting.values.last else { return }
        if claim.isEmpty || !FieldName.mayCarryClaim(name) || name.lowercased().hasPrefix("x-forwarded-") {
            let text =
                "\(name) is not sent: fields in identity.headers carry one claim, and X-Forwarded-* is the gateway's"
            draft.note(.lost, setting.origin, "injectRequestHeaders", text)
        }
    }

    /// oauth2-proxy makes groups of Keycloak's roles, which no claim has by these names.
    private mutating func noteKeycloakRoles(_ setting: OAuth2ProxySetting) {
        guard setting.name == "allowed_groups", self.setting("provider")?.value == "keycloak-oidc" else { return }
        for group in setting.values where group.hasPrefix("role:") {
            draft.note(
                .lost,
                setting.origin,
                setting.name,
                "nobody has the group \(group) here: name the role itself in \"who\", and \"groups_claim\" where Keycloak's "
                    + "roles are, /realm_access/roles or /resource_access/CLIENT/roles"
            )
        }
    }
}
