extension Mistake {
    /// What is wrong in `gateway.ext_authz`.
    static let extAuthz: [Mistake] = [
        Mistake(
            "extAuthzWithoutAddress",
            Sample.gateway("ext_authz: {}\ntrusted_proxies: [127.0.0.1/32]"),
            [#"9:3: "ext_authz" lacks "address": add "address: 127.0.0.1:9191""#]
        ),
        Mistake(
            "extAuthzOnBadAddress",
            Sample.gateway("ext_authz: { address: 127.0.0.1 }\ntrusted_proxies: [127.0.0.1/32]"),
            [
                #"9:25: "address" must be a host and a port, but is "127.0.0.1": end it with a colon and a port, like 127.0.0.1:8080"#
            ]
        ),
        Mistake(
            "extAuthzOnTenantsListener",
            Sample.gateway("ext_authz: { address: 127.0.0.1:8080 }\ntrusted_proxies: [127.0.0.1/32]"),
            [
                #"9:25: "127.0.0.1:8080" already accepts other requests: give the gRPC listener another port"#
            ]
        ),
        Mistake(
            "extAuthzOnAdminListener",
            Sample.gateway(
                """
                ext_authz: { address: 127.0.0.1:9901 }
                admin: { address: 127.0.0.1:9901 }
                trusted_proxies: [127.0.0.1/32]
                """
            ),
            [
                #"9:25: "127.0.0.1:9901" already accepts other requests: give the gRPC listener another port"#
            ]
        ),
        Mistake(
            "extAuthzThatOthersReach",
            Sample.gateway("ext_authz: { address: 0.0.0.0:9191 }\ntrusted_proxies: [127.0.0.1/32]"),
            [
                #"9:25: warning: what is asked here and told of callers crosses the network in clear: listen on 127.0.0.1, or where only Envoy gets"#
            ]
        ),
        Mistake(
            "extAuthzForNobody",
            Sample.gateway("ext_authz: { address: 127.0.0.1:9191 }"),
            [
                #"9:25: nobody would be answered: name Envoy's address in "trusted_proxies""#
            ]
        ),
        Mistake(
            "extAuthzForAnEmptyList",
            Sample.gateway("ext_authz: { address: 127.0.0.1:9191 }\ntrusted_proxies: []"),
            [
                #"9:25: nobody would be answered: name Envoy's address in "trusted_proxies""#
            ]
        ),
    ]
}
