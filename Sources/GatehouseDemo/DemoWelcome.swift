import Demo
import Tenants

/// What a demo run prints: at most twelve lines.
struct DemoWelcome {
    let gateway: HostPort
    let admin: HostPort
    /// The path of the tokens file; nil if there is none.
    let tokensFile: String?

    var text: String {
        var lines = [row("http://localhost:\(gateway.port)/", "start here: buttons for everything below, step by step")]
        for app in SampleAppName.allCases { lines.append(row("http://\(app.host):\(gateway.port)/", app.about)) }
        let company = "http://localhost:\(gateway.port)\(CompanyApp.path)"
        lines.append(row(company, "a company's own provider, Apple and Google; account page and passkeys"))
        lines.append(row("http://\(admin)/", "the dashboard, for $ADMIN_TOKEN"))
        let resource = "http://\(SampleAppName.customer.host):\(gateway.port)\(SampleAppName.customer.resource)"
        lines.append("try:  curl \(resource)")
        if let tokensFile {
            lines.append("try:  source \(ShellText.quoted(tokensFile))")
            lines.append("try:  curl -H \"Authorization: Bearer $CUSTOMER_TOKEN\" \(resource)")
        }
        return lines.joined(separator: "\n") + "\nCtrl-C ends it."
    }

    private func row(_ url: String, _ about: String) -> String {
        url + String(repeating: " ", count: max(2, 34 - url.count)) + about
    }
}
