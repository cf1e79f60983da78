/// The gateway behind all routes of the table.
enum AgreementSetup {
    /// - Parameters:
    ///   - gateway: Further keys of the `gateway` section, each on a line of its own.
    ///   - tests: Entries of each tenant's `tests`.
    static func fixture(gateway: String = "", tests: [AgreementTenant: [String]] = [:]) -> GatewaySetup {
        var setup = GatewaySetup()
        setup.gateway = "trusted_proxies: [127.0.0.1/32]\n" + gateway
        setup.tenant = "hosts: [app.test]\n" + rules + "\n" + Self.tests(tests[.app])
        setup.others = """
            web:
              hosts: [web.test]
              backend: { servers: ["{backend}"] }
            \(indented(cookieFirst))
            \(indented(access))
              csrf: { trusted_origins: ["https://trusted.example"] }
            \(indented(Self.tests(tests[.web])))
            shop:
              hosts: [app.test]
              path_prefix: /shop
              strip_prefix: true
              backend: { servers: ["{backend}"] }
            \(indented(rules))
            \(indented(Self.tests(tests[.shop])))
            watch:
              hosts: [watch.test]
              mode: observe
              backend: { servers: ["{backend}"] }
            \(indented(rules))
            \(indented(Self.tests(tests[.watch])))
            """
        return setup
    }

    private static let issuers = """
          issuers:
            - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
          leeway: 60s
          require: [sub, exp]
        max_staleness: 10m
        """
    private static let rules = "authenticate:\n  from: [bearer, \"cookie:session\"]\n" + issuers + "\n" + access
    private static let cookieFirst = "authenticate:\n  from: [\"cookie:session\", bearer]\n" + issuers
    private static let access = """
        access:
          - { path: /health, allow: anyone }
          - { path: /open/**, allow: anyone }
          - { path: /observed/**, allow: { roles: [nobody] }, mode: observe }
          - { path: /admin/**, methods: [GET, POST], allow: { roles: [admin] } }
          - { path: /reports/*, allow: { roles: [admin, customer], scopes: [read] } }
          - { path: /write, allow: { scopes: [read, write] } }
          - { path: /orders/**, allow: { roles: [customer] } }
        """

    private static func tests(_ lines: [String]?) -> String {
        guard let lines, !lines.isEmpty else { return "tests: []" }
        return "tests:\n" + lines.map { "  - " + $0 }.joined(separator: "\n")
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    }
}
