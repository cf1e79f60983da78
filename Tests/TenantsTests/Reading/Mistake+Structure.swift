extension Mistake {
    /// Keys that are missing, unknown or of the wrong type.
    static let structure: [Mistake] = [
        Mistake(
            "noVersion",
            #"tenants: { shop: { hosts: [a.test], backend: { servers: [http://b] }, authenticate: { issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }] } } }\#n"#,
            [
                #"1:1: the file lacks "version": add "version: 1""#
            ]
        ),
        Mistake(
            "unknownVersion",
            #"version: 2\#ntenants:\#n  shop:\#n    hosts: [shop.test]\#n    backend: { servers: [http://127.0.0.1:9001] }\#n    authenticate:\#n      issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]\#n"#,
            [
                #"1:10: "version" must be a whole number, but is "2": only 1 is known"#
            ]
        ),
        Mistake(
            "noTenants",
            #"version: 1\#n"#,
            [
                #"1:1: the file lacks "tenants": add the section"#
            ]
        ),
        Mistake(
            "emptyTenants",
            #"version: 1\#ntenants: {}\#n"#,
            [
                #"2:10: "tenants" is empty: name at least 1"#
            ]
        ),
        Mistake(
            "nullTenants",
            #"version: 1\#ntenants:\#n"#,
            [
                #"2:9: "tenants" must be a map, but is nothing: write its keys on the lines below it, indented"#
            ]
        ),
        Mistake(
            "tenantWithoutAnything",
            #"version: 1\#ntenants:\#n  shop: {}\#n"#,
            [
                #"3:3: "shop" lacks "hosts": add "hosts: [api.example.com]""#,
                #"3:3: "shop" lacks "backend": add the section"#,
                #"3:3: "shop" lacks "authenticate": add the section"#,
            ]
        ),
        Mistake(
            "badTenantName",
            #"version: 1\#ntenants:\#n  "my shop":\#n    hosts: [shop.test]\#n    backend: { servers: [http://127.0.0.1:9001] }\#n    authenticate:\#n      issuers: [{ issuer: i, audiences: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]\#n"#,
            [
                #"3:3: a tenant's name has 1 to 63 letters, digits, "-" and "_": rename it"#
            ]
        ),
        Mistake(
            "unknownKeyNearAnother",
            Sample.tenant(
                issuers:
                    #"[{ issuer: i, audience: [a], algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]"#
            ),
            [
                #"7:17: warning: aud is not checked: a token that this issuer made for another app is good here; list "audiences""#,
                #"7:30: unknown key "audience": did you mean "audiences"?"#,
            ]
        ),
        Mistake(
            "unknownKeyFarFromAll",
            Sample.gateway(#"log: { colour: red }"#),
            [
                #"9:10: unknown key "colour": the keys here are level, levels, format, access, query"#
            ]
        ),
        Mistake(
            "listForText",
            Sample.tenant(more: #"path_prefix: [/a]"#),
            [
                #"8:18: "path_prefix" must be text, but is a list: write it like /shop"#
            ]
        ),
        Mistake(
            "textForList",
            Sample.tenant(hosts: #"shop.test"#),
            [
                #"4:12: "hosts" must be a list, but is a single value: write it like [api.example.com]"#
            ]
        ),
        Mistake(
            "textForMap",
            Sample.tenant(backend: #"http://127.0.0.1:9001"#),
            [
                #"5:14: "backend" must be a map, but is a single value: write its keys on the lines below it, indented"#
            ]
        ),
        Mistake(
            "keyWithoutValue",
            Sample.tenant(more: #"access:"#),
            [
                #"8:12: "access" must be a list, but is nothing: write it like [{ path: /api/**, allow: anyone }]"#
            ]
        ),
        Mistake(
            "emptyList",
            Sample.tenant(hosts: #"[]"#),
            [
                #"4:12: "hosts" is empty: give at least 1, for example [api.example.com]"#
            ]
        ),
        Mistake(
            "emptyText",
            Sample.tenant(hosts: #"[""]"#),
            [
                #"4:13: an item of "hosts" must be text, but is "": it is empty; leave the key out or fill it in"#
            ]
        ),
        Mistake(
            "quotedNumber",
            Sample.gateway(#"threads: "4""#),
            [
                #"9:12: "threads" must be a whole number, but is "4": leave the quotes out"#
            ]
        ),
        Mistake(
            "numberOutOfBounds",
            Sample.gateway(#"threads: 1025"#),
            [
                #"9:12: "threads" must be a whole number, but is "1025": give one from 0 to 1024"#
            ]
        ),
        Mistake(
            "negativeNumber",
            Sample.gateway(#"threads: -1"#),
            [
                #"9:12: "threads" must be a whole number, but is "-1": give one from 0 to 1024"#
            ]
        ),
        Mistake(
            "numberTooLarge",
            Sample.gateway(#"threads: 99999999999999999999"#),
            [
                #"9:12: "threads" must be a whole number, but is "99999999999999999999": the number is too large"#
            ]
        ),
        Mistake(
            "fraction",
            Sample.gateway(#"threads: 1.5"#),
            [
                #"9:12: "threads" must be a whole number, but is "1.5": write a whole number in decimal digits"#
            ]
        ),
        Mistake(
            "yesForTrue",
            Sample.gateway(#"log: { access: yes }"#),
            [
                #"9:18: "access" must be true or false, but is "yes": write true or false"#
            ]
        ),
        Mistake(
            "quotedBoolean",
            Sample.gateway(#"log: { access: "true" }"#),
            [
                #"9:18: "access" must be true or false, but is "true": leave the quotes out"#
            ]
        ),
        Mistake(
            "unknownChoice",
            Sample.gateway(#"log: { level: loud }"#),
            [
                #"9:17: "level" must be one of trace, debug, info, notice, warning, error, critical, but is "loud": choose one of them"#
            ]
        ),
        Mistake(
            "misspelledChoice",
            Sample.gateway(#"log: { level: debgu }"#),
            [
                #"9:17: "level" must be one of trace, debug, info, notice, warning, error, critical, but is "debgu": did you mean "debug"?"#
            ]
        ),
        Mistake(
            "durationWithoutUnit",
            Sample.gateway(#"shutdown_grace: 30"#),
            [
                #"9:19: "shutdown_grace" must be a duration, but is "30": add a unit: ms, s, m, h or d"#
            ]
        ),
        Mistake(
            "negativeDuration",
            Sample.gateway(#"shutdown_grace: -30s"#),
            [
                #"9:19: "shutdown_grace" must be a duration, but is "-30s": a duration cannot be negative"#
            ]
        ),
        Mistake(
            "compoundDuration",
            Sample.gateway(#"shutdown_grace: 1m30s"#),
            [
                #"9:19: "shutdown_grace" must be a duration, but is "1m30s": write one whole number and one unit: ms, s, m, h or d"#
            ]
        ),
        Mistake(
            "zeroTimeout",
            Sample.gateway(#"limits: { idle_timeout: 0s }"#),
            [
                #"9:27: "idle_timeout" must be a duration, but is "0s": give one from 1ms to 1d"#
            ]
        ),
        Mistake(
            "durationTooLong",
            Sample.gateway(#"shutdown_grace: 2h"#),
            [
                #"9:19: "shutdown_grace" must be a duration, but is "2h": give one from 0s to 1h"#
            ]
        ),
        Mistake(
            "durationOverflow",
            Sample.gateway(#"shutdown_grace: 9223372036854775807d"#),
            [
                #"9:19: "shutdown_grace" must be a duration, but is "9223372036854775807d": the number is too large"#
            ]
        ),
        Mistake(
            "decimalSizeUnit",
            Sample.gateway(#"limits: { header_bytes: 32KB }"#),
            [
                #"9:27: "header_bytes" must be a size, but is "32KB": the units are B, KiB, MiB and GiB"#
            ]
        ),
        Mistake(
            "sizeTooSmall",
            Sample.gateway(#"limits: { header_bytes: 1B }"#),
            [
                #"9:27: "header_bytes" must be a size, but is "1B": give one from 1024 to 1048576"#
            ]
        ),
        Mistake(
            "sampleOutOfBounds",
            Sample.gateway(#"tracing: { otlp: 'http://127.0.0.1:4318', sample: 1.5 }"#),
            [
                #"9:53: "sample" must be a number, but is "1.5": give one from 0.0 to 1.0"#
            ]
        ),
    ]
}
