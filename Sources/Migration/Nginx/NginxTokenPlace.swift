/// Where `auth_jwt` finds the token.
enum NginxTokenPlace {
    static func text(_ directive: NginxDirective) -> String {
        let variable = directive.arguments.dropFirst().first { $0.hasPrefix("token=$") }?.dropFirst(7) ?? ""
        for (start, place) in [("cookie_", "cookie"), ("arg_", "query"), ("http_", "header")]
        where variable.hasPrefix(start) && variable.count > start.count {
            let name = variable.dropFirst(start.count)
            if place == "header", name == "authorization" { return "bearer" }
            return "\(place):\(place == "header" ? String(name.replacing("_", with: "-")) : String(name))"
        }
        return "bearer"
    }
}
