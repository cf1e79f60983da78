import ConfigurationText
import Tenants

/// Notes on the access rules.
extension Explanation {
    /// - Parameter caller: Nil if there is none.
    func note(_ rules: RequestRules, _ caller: Caller?, _ tenant: Tenant) {
        if rules.isSignIn { return }
        note(rules.first, of: rules, caller, tenant, reading: "")
        var noted = [rules.first]
        for other in rules.others where !noted.contains(other) {
            noted.append(other)
            note(other, of: rules, caller, tenant, reading: "as other servers may read the path: ")
        }
    }

    private func note(_ index: Int?, of rules: RequestRules, _ caller: Caller?, _ tenant: Tenant, reading: String) {
        guard let index else {
            let text = caller == nil ? "a signed-in caller is needed" : "a signed-in caller is enough"
            return note(
                .authorize,
                "\(reading)no rule of access is for this path and method: \(text)",
                line: tenant.lines["access"]
            )
        }
        let rule = rules.rules.rules[index]
        let methods = rule.methods.names.isEmpty ? "" : " [\(rule.methods.names.joined(separator: ", "))]"
        let name = "\(reading)rule \(rule.path)\(methods)"
        note(.authorize, "\(name) \(Self.verdict(of: rule, on: caller))", line: rule.line)
    }

    private static func verdict(of rule: AccessRule, on caller: Caller?) -> String {
        guard case .signedIn(let roles, let scopes) = rule.allow else { return "lets anyone in" }
        var needs: [String] = []
        if !roles.isEmpty { needs.append("one of the roles \(list(roles))") }
        if !scopes.isEmpty { needs.append("the scopes \(list(scopes))") }
        guard let caller else {
            return "needs a signed-in caller" + (needs.isEmpty ? "" : " with \(needs.joined(separator: " and "))")
        }
        if needs.isEmpty { return "lets any signed-in caller in" }
        var has: [String] = []
        if !roles.isEmpty { has.append("roles \(list(caller.principal.roles))") }
        if !scopes.isEmpty { has.append("scopes \(list(caller.principal.scopes))") }
        let isAllowed = RuleVerdict(rule.allow, caller.principal) == .allowed
        return "needs \(needs.joined(separator: " and ")); the caller has \(has.joined(separator: " and "))"
            + (isAllowed ? ", which is enough" : ", which is not enough")
    }

    /// - Parameter line: Of the rule or the tenant that is only observed.
    func note(observed refusal: Refusal, line: SourceLine) {
        note(
            .observe,
            "would be refused with \(refusal.status) \(refusal.code.rawValue) (\(refusal.detail)), but mode observe lets "
                + "it through",
            line: line
        )
    }
}
