extension Mistake {
    /// What is wrong in `gateway`, and with references to the environment.
    static let gateway: [Mistake] = [
        Mistake(
            "listenWithoutPort",
            Sample.gateway(#"listen: [{ address: 127.0.0.1 }]"#),
            [
                #"9:23: "address" must be a host and a port, but is "127.0.0.1": end it with a colon and a port, like 127.0.0.1:8080"#
            ]
        ),
        Mistake(
            "listenOnBadPort",
            Sample.gateway(#"listen: [{ address: '127.0.0.1:65536' }]"#),
            [
                #"9:23: "address" must be a host and a port, but is "127.0.0.1:65536": a port is a number from 0 to 65535"#
            ]
        ),
        Mistake(
            "listenOnBareIPv6",
            Sample.gateway(#"listen: [{ address: '::1:8080' }]"#),
            [
                #"9:23: "address" must be a host and a port, but is "::1:8080": put an IPv6 address in brackets, like [::1]:8080"#
            ]
        ),
        Mistake(
            "listenWithoutHost",
            Sample.gateway(#"listen: [{ address: ':8080' }]"#),
            [
                #"9:23: "address" must be a host and a port, but is ":8080": name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"#
            ]
        ),
        Mistake(
            "listenTwice",
            Sample.gateway(#"listen:\#n  - address: 127.0.0.1:8080\#n  - address: 127.0.0.1:8080"#),
            [
                #"11:16: "127.0.0.1:8080" is listened on twice, first in line 10: leave one out"#
            ]
        ),
        Mistake(
            "adminOnTenantsListener",
            Sample.gateway(#"admin: { address: 127.0.0.1:8080 }"#),
            [
                #"9:21: "127.0.0.1:8080" already accepts the tenants' requests: give the admin listener another port"#
            ]
        ),
        Mistake(
            "adminOpenToOthers",
            Sample.gateway(#"admin: { address: 0.0.0.0:9901 }"#),
            [
                #"9:21: the admin listener can be reached by others and has no token: add "token", or listen on 127.0.0.1"#
            ]
        ),
        Mistake(
            "adminOpenWithEmptyToken",
            Sample.gateway(#"admin: { address: 0.0.0.0:9901, token: "${EMPTY}" }"#),
            [
                #"9:21: the admin listener can be reached by others and has no token: add "token", or listen on 127.0.0.1"#
            ]
        ),
        Mistake(
            "trustedProxyIsAName",
            Sample.gateway(#"trusted_proxies: [proxy.test]"#),
            [
                #"9:21: "proxy.test" is no address or block of addresses: write it like 10.1.2.3, 10.0.0.0/8 or fd00::/8, with no bit set after the prefix"#
            ]
        ),
        Mistake(
            "trustedProxyWithHostBits",
            Sample.gateway(#"trusted_proxies: [10.0.0.1/8]"#),
            [
                #"9:21: "10.0.0.1/8" is no address or block of addresses: write it like 10.1.2.3, 10.0.0.0/8 or fd00::/8, with no bit set after the prefix"#
            ]
        ),
        Mistake(
            "everyProxyTrusted",
            Sample.gateway(#"trusted_proxies: [0.0.0.0/0]"#),
            [
                #"9:21: warning: every client may now claim any address and host in X-Forwarded-*: name your proxies' addresses only"#
            ]
        ),
        Mistake(
            "unsetVariable",
            Sample.tenant(hosts: #"["${SHOP_HOST}"]"#),
            [
                #"4:13: the environment variable SHOP_HOST is not set: export it, or write ${SHOP_HOST:-default}"#
            ]
        ),
        Mistake(
            "unterminatedVariable",
            Sample.tenant(hosts: #"["${SHOP_HOST"]"#),
            [
                #"4:13: "${" without "}": write ${NAME} or ${NAME:-default}, or $${ for the text itself"#
            ]
        ),
        Mistake(
            "malformedVariable",
            Sample.tenant(hosts: #"["${SHOP-HOST}"]"#),
            [
                #"4:13: no variable's name between "${" and "}": write ${NAME} or ${NAME:-default}, or $${ for the text itself"#
            ]
        ),
        Mistake(
            "nestedDefault",
            Sample.tenant(hosts: #"["${A:-${B}}"]"#),
            [
                #"4:13: a default cannot hold another "${": export the variable, or write the default out"#
            ]
        ),
    ]
}
