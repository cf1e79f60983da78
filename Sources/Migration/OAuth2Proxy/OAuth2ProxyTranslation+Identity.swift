import Tenants

/// What an app is told about callers.
extension OAuth2ProxyTranslation {
    private static let email = "email"

    /// Whether no unverified address reaches the app, or one may. oauth2-proxy refuses whoever has one; the gateway lets
    /// them in unless `who` asks for an address.
    private var emailIsVerified: Bool {
        if isOn("insecure_oidc_allow_unverified_email") { return true }
        guard signsInAll, let kind = signInKind else { return false }
        return admission(kind).asksForEmail
    }

    /// Tells of the field with the e-mail address if it is not sent.
    mutating func noteEmail(_ setting: OAuth2ProxySetting) {
        let name: String
        switch setting.name {
        case "set_xauthrequest" where setting.isOn: name = "X-Auth-Request-Email"
        case "inject_request_header" where setting.values.last == Self.email && setting.values.count == 2:
            name = setting.values[0]
        default: return
        }
        guard !emailIsVerified, FieldName.mayCarryClaim(name) else { return }
        draft.note(
            .lost,
            setting.origin,
            setting.name == "set_xauthrequest" ? setting.name : "injectRequestHeaders",
            "\(name) is not sent: here callers with an unverified address are let in too; restrict \"who\" to e-mails, or "
                + "have the app look at email_verified as well, and name both in identity.headers"
        )
    }

    func addIdentity(_ tenant: inout DraftTenant) {
        for header in settings where header.name == "inject_request_header" {
            guard let name = header.values.first, let claim = header.values.last, FieldName.mayCarryClaim(name)
            else { continue }
            if claim.isEmpty {
                tenant.removedFields.append(DraftText(literal: name, header.origin, remark: "an app may trust it"))
                continue
            }
            let known = ["user": "sub", "preferred_username": "preferred_username", "groups": "roles"]
            tenant.identity.append(
                DraftHeader(name: name, value: DraftText(literal: known[claim] ?? claim, header.origin))
            )
        }
        tenant.identity = tenant.identity.firstOfEachName
        if let setting = setting("set_xauthrequest"), setting.isOn {
            tenant.identity += [
                DraftHeader(name: "X-Auth-Request-User", value: DraftText(literal: "sub", setting.origin)),
                DraftHeader(name: "X-Auth-Request-Email", value: DraftText(literal: Self.email, setting.origin)),
            ]
            tenant.identity = tenant.identity.firstOfEachName
            let others = ["X-Auth-Request-Groups", "X-Auth-Request-Preferred-Username", "X-Auth-Request-Access-Token"]
            tenant.removedFields += others.filter { name in !tenant.identity.contains { $0.name == name } }
                .map { DraftText(literal: $0, setting.origin, remark: "an app may trust it") }
        }
        if !emailIsVerified {
            let unsent = tenant.identity.filter { $0.value.text == Self.email }
            tenant.removedFields =
                unsent.map { DraftText(literal: $0.name, $0.value.origin, remark: "an app may trust it") }
                + tenant.removedFields
            tenant.identity.removeAll { $0.value.text == Self.email }
        }
        tenant.removedFields = tenant.removedFields.firstOfEachField(without: tenant.identity)
        let keeping = ["pass_access_token", "pass_authorization_header", "set_authorization_header"]
        let keeps = keeping.compactMap(setting).first(where: \.isOn)
        tenant.keepsToken = keeps.map { DraftText(literal: "keep", $0.origin) } ?? DraftText(literal: "strip")
    }
}
