import CommandSupport
import Demo
import Tenants
import Verification

/// tenants.yaml.example, which is built into the program, with generated files, and with tenants for the start page and
/// for the company.
enum ExampleConfiguration {
    /// The tenant of the start page.
    static let start = "start"
    /// The server of the start page and of the company's page.
    private static let server = "http://127.0.0.1:9000"

    /// Comes last, so that the lines of the example are those of its file. The start page looks at no token.
    private static let startTenant = """
          # The demo's start page, for everyone on this machine.
          \(start):
            hosts: [localhost, 127.0.0.1]
            backend: { servers: [\(server)], timeouts: { response: 60s } }
            authenticate:
              issuers: [{ issuer: start-page, audiences: [nobody], algorithms: [HS256], secret: "${CUSTOMER_JWT_SECRET}" }]
            access: [{ path: /**, allow: anyone }]
        """

    /// Its provider's address is set when that has started.
    private static let companyTenant = """
          # An app for a company's people: their own provider beside Apple and Google, their account, and passkeys.
          \(CompanyApp.name):
            hosts: [localhost]
            path_prefix: \(CompanyApp.path)
            backend: { servers: [\(server)] }
            authenticate: { from: ["cookie:company_access"], issuers: [{ preset: built-in }] }
            access:
              - { path: \(CompanyApp.path), allow: anyone }
              - { path: \(CompanyApp.path)/wiki, allow: anyone }
              - { path: \(CompanyApp.path)/wiki/back, allow: anyone }
              - { path: \(CompanyApp.path)/calendar, allow: anyone }
              - { path: \(CompanyApp.path)/calendar/back, allow: anyone }
            identity: { headers: { X-User-Id: sub, X-User-Email: email, X-User-Roles: roles } }
            issuer:
              url: https://localhost\(CompanyApp.path)
              base_path: \(CompanyApp.path)
              audience: company
              algorithm: ES256
              keys_dir: "${GATEHOUSE_KEYS_DIR}/\(CompanyApp.name)"
              page: { name: Company, color: "#0b6b5c" }
              clients:
                - id: wiki
                  secret: "${COMPANY_CLIENT_SECRET}"
                  redirect_uris: ["http://localhost:8080\(CompanyApp.path)/wiki/back"]
                - id: calendar
                  secret: "${COMPANY_CLIENT_SECRET}"
                  redirect_uris: ["http://localhost:8080\(CompanyApp.path)/calendar/back"]
            signals:
              - issuer: \(SignalStandIn.issuer)
                audience: \(SignalStandIn.audience)
                algorithms: [ES256]
                jwks_file: \(DemoSecrets.signalKeyFile)
            sign_in:
              providers:
                company:
                  label: Company
                  issuer: http://127.0.0.1:\(DemoPorts.company)/company
                  client_id: \(CompanyStandIn.clientID)
                  client_secret: \(CompanyStandIn.clientSecret)
                  claims: { roles: /realm_access/roles }
              google:
                path: \(CompanyApp.path)/exchange/google
                client_ids: [company-web.apps.example]
                then: issue
                web: { client_id: company-web.apps.example, client_secret: "${GOOGLE_CLIENT_SECRET}" }
              apple:
                path: \(CompanyApp.path)/exchange/apple
                client_ids: [com.example.company]
                then: issue
                web: { client_id: com.example.company.web, team_id: T, key_id: K, private_key_file: apple.p8 }
              web:
                login: \(CompanyApp.path)/login
                callback: \(CompanyApp.path)/callback
                after: "http://localhost:8080\(CompanyApp.path)"
                cookies: { access: company_access, refresh: company_refresh }
              endpoints: { logout: \(CompanyApp.path)/logout }
              unauthenticated: { navigations: sign_in }
              account_page: \(CompanyApp.path)/account
              passkeys: { rp_id: localhost, name: Company }
              delete_account: { path: "DELETE \(CompanyApp.path)/api/account" }
            refresh:
              grace: 30d
              from: "cookie:company_refresh"
              call: { send: built_in }
              deliver: { cookies: { company_access: /access_token, company_refresh: /refresh_token } }
        """

    static func read(_ secrets: DemoSecrets) throws(CommandFailure) -> TenantsConfiguration {
        let result = TenantsFile.read(
            text: PackageResources.tenants_yaml_example + Array("\n\(startTenant)\n\n\(companyTenant)\n".utf8),
            path: "tenants.yaml.example",
            environment: secrets.environment,
            files: MemoryFiles(content: secrets.files)
        )
        guard var configuration = result.configuration, !configuration.gateway.listeners.isEmpty else {
            let mistakes = result.errors.map(\.description).joined(separator: "\n")
            throw CommandFailure("the example configuration cannot be used:\n\(mistakes)")
        }
        let former: IssuerPolicy
        do {
            former = try FormerIssuer.policy(secrets.keys.formerKey)
        } catch {
            throw CommandFailure("the example configuration cannot be used: \(error)")
        }
        // The files are in memory: nothing can be reloaded from disk.
        var signals = configuration.tenants.first { $0.name == CompanyApp.name }?.signals ?? []
        for index in signals.indices { signals[index].source = .inline }
        for tenant in configuration.tenants.indices {
            // Every app hears of stolen accounts.
            if configuration.tenants[tenant].name != start { configuration.tenants[tenant].signals = signals }
            if configuration.tenants[tenant].name == SampleAppName.clans.rawValue {
                // The app has left this issuer, and some of its people still have its tokens.
                configuration.tenants[tenant].authenticate.policy.issuers.append(former)
                configuration.tenants[tenant].authenticate.keySources.append(.inline)
                configuration.tenants[tenant].refresh?.adopted = [former.issuer]
            }
            let count = configuration.tenants[tenant].authenticate.keySources.count
            configuration.tenants[tenant].authenticate.keySources = Array(repeating: .inline, count: count)
        }
        return configuration
    }
}
