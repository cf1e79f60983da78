/// Directives that have no counterpart.
enum NginxUnknown {
    /// Tells of the directives of a block that have no counterpart.
    ///
    /// - Returns: Whether one of them may restrict access.
    static func note(in scope: NginxScope, _ draft: inout Draft) -> Bool {
        var isUnknown = false
        for directive in scope.own {
            if let text = NginxKnown.lost[directive.name] {
                draft.note(.lost, directive.origin, directive.name, text)
                continue
            }
            switch directive.name {
            case "auth_basic" where directive.first == "off": continue
            case "return", "rewrite": continue
            case "if" where directive.block?.allSatisfy(\.isRedirect) ?? false:
                draft.note(.lost, directive.origin, "if", "nothing is redirected here")
            case "auth_basic":
                draft.note(.closed, directive.origin, directive.name, "passwords are not checked here")
                isUnknown = true
            case "deny":
                draft.note(
                    .closed,
                    directive.origin,
                    directive.name,
                    "no address is kept out here: do it in front, then open it"
                )
                isUnknown = true
            case _ where NginxKnown.isHarmless(directive.name): continue
            default:
                draft.note(.closed, directive.origin, directive.name, "init does not know whether it restricts anybody")
                isUnknown = true
            }
        }
        return isUnknown
    }
}

extension NginxDirective {
    /// Whether it only sends clients elsewhere, or sets a variable.
    var isRedirect: Bool {
        switch name {
        case "set", "break": true
        case "return": arguments.count == 2 && first.hasPrefix("3") || arguments.count == 1 && first.hasPrefix("http")
        default: false
        }
    }
}
