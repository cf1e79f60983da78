extension Mistake {
    /// What is wrong with `store` and `state_dir`.
    static let store: [Mistake] =
        [
            Mistake(
                "unknownStore",
                Sample.gateway(#"store: mysql://db"#),
                [
                    #"9:10: "store" is none of memory:, embedded:FILE, redis://…, rediss://…, redis+sentinel://… and rediss+sentinel://…: write "embedded:gatehouse.db""#
                ]
            ),
            Mistake(
                "embeddedStoreWithoutFile",
                Sample.gateway(#"store: 'embedded:'"#),
                [
                    #"9:10: "store" is none of memory:, embedded:FILE, redis://…, rediss://…, redis+sentinel://… and rediss+sentinel://…: write "embedded:gatehouse.db""#
                ]
            ),
            Mistake(
                "embeddedStoreInMissingDirectory",
                Sample.gateway(#"store: 'embedded:state/g.db'"#),
                [
                    #"9:10: "store" needs the directory "state", no such file or directory: make it, or name another"#
                ]
            ),
            Mistake(
                "embeddedStoreInMissingDirectoryOfTheEnvironment",
                Sample.gateway(#"store: 'embedded:${CANARY}/g.db'"#),
                [
                    #"9:10: "store" needs its directory, no such file or directory: make it, or name another"#
                ]
            ),
            Mistake(
                "stateDirectoryInMissingDirectory",
                Sample.gateway(#"state_dir: none/state"#),
                [
                    #"9:14: "state_dir" needs the directory "none", no such file or directory: make it, or name another"#
                ]
            ),
        ] + redis

    private static let encoding =
        "in user and password write \"/\" as %2F, \"?\" as %3F, \"#\" as %23 and \"@\" as %40"

    private static let redis = [
        redis("redisWithoutHost", "redis:///0", "name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"),
        redis("redisWithBadPort", "redis://h:70000/0", "a port is a number from 1 to 65535"),
        redis("redisWithBareIPv6", "redis://::1/0", "put an IPv6 address in brackets, like [::1]:8080"),
        redis(
            "redisWithTwoHosts",
            "redis://a,b/0",
            "several hosts are Sentinels: write redis+sentinel://, or name one"
        ),
        redis("redisWithNamedDatabase", "redis://h/canary", "end it with the database's number, like …/0"),
        redis("redisWithNegativeDatabase", "redis://h/-1", "end it with the database's number, like …/0"),
        redis("redisWithHugeDatabase", "redis://h/99999999999999999999", "end it with the database's number, like …/0"),
        redis("redisWithLongPath", "redis://h/0/1", "end it with the database's number, like …/0"),
        redis(
            "redisWithUserAlone",
            "redis://canary@h",
            "before the \"@\" write user:password, or :password for the user \"default\""
        ),
        redis(
            "redisWithEmptyPassword",
            "redis://canary:@h",
            "the password is empty; fill it in, or leave everything up to the \"@\" out"
        ),
        redis("redisWithBareAt", "redis://u:can@ry@h", encoding),
        redis("redisWithBareSlash", "redis://u:can/ary@h", encoding),
        redis("redisWithBareQuestionMark", "redis://u:can?ary@h", encoding),
        redis("redisWithBareHash", "redis://u:can#ary@h", "leave \"#\" out; \(encoding)"),
        redis("redisWithBarePercent", "redis://u:can%ary@h", "write \"%\" itself as %25"),
        redis("redisWithPercentAtTheEnd", "redis://u:canary%4@h", "write \"%\" itself as %25"),
        redis("redisWithBrokenUTF8", "redis://u:%ff@h", "what is percent-encoded must be UTF-8"),
        redis(
            "sentinelWithoutMaster",
            "redis+sentinel://a,b",
            "name the master after the Sentinels, like …:26379/mymaster/0"
        ),
        redis(
            "sentinelWithBadMaster",
            "redis+sentinel://a/b%20",
            "name the master after the Sentinels, like …:26379/mymaster/0"
        ),
        redis("sentinelTwice", "redis+sentinel://a,a:26379/m", "leave the host out that is there twice"),
        redis(
            "sentinelWithEmptyHost",
            "redis+sentinel://a,/m",
            "name the host too, like 127.0.0.1:8080 or 0.0.0.0:8080"
        ),
        redis("nearlyKnownOption", "rediss://h?cafile=a", "an option is unknown, did you mean \"ca_file\"?"),
        redis(
            "unknownOption",
            "rediss://h?canary=a",
            "an option is unknown, there are ca_file, certificate_file, key_file, server_name, sentinel_user, sentinel_password"
        ),
        redis("optionTwice", "rediss://h?server_name=a&server_name=a", "leave the second \"server_name\" out"),
        redis("optionWithoutValue", "rediss://h?server_name", "fill \"server_name\" in, or leave it out"),
        redis("optionForTLS", "redis://h?ca_file=a", "\"ca_file\" is for TLS: write rediss://, or leave it out"),
        redis(
            "optionForTLSWithSentinels",
            "redis+sentinel://h/m?server_name=a",
            "\"server_name\" is for TLS: write rediss+sentinel://, or leave it out"
        ),
        redis(
            "optionForSentinels",
            "rediss://h?sentinel_password=canary",
            "\"sentinel_password\" is for Sentinels only, leave it out"
        ),
        redis(
            "sentinelUserAlone",
            "redis+sentinel://h/m?sentinel_user=a",
            "\"sentinel_user\" goes with \"sentinel_password\": add it"
        ),
    ]

    private static func redis(_ name: String, _ url: String, _ remedy: String) -> Mistake {
        Mistake(name, Sample.gateway("store: '\(url)'"), ["9:10: \"store\" is no address of Redis: \(remedy)"])
    }

    /// What is wrong with the files of a Redis address, and what is doubtful about its password.
    static let redisFiles = [
        Mistake(
            "redisPasswordInClear",
            Sample.gateway(#"store: 'redis://u:canary@h:1/0'"#),
            [
                #"9:10: warning: the password of "store" crosses the network in clear: write rediss://, or keep Redis on this machine"#
            ]
        ),
        Mistake(
            "sentinelPasswordInClear",
            Sample.gateway(#"store: 'redis+sentinel://localhost,h/m?sentinel_password=canary'"#),
            [
                #"9:10: warning: the password of "store" crosses the network in clear: write rediss+sentinel://, or keep Redis on this machine"#
            ]
        ),
        Mistake(
            "missingAuthoritiesOfRedis",
            Sample.gateway(#"store: 'rediss://h?ca_file=none%20a.pem'"#),
            [
                #"9:10: "ca_file" cannot be read, "none a.pem": no such file or directory"#
            ]
        ),
        Mistake(
            "authoritiesOfRedisThatAreNoCertificates",
            Sample.gateway(#"store: 'rediss://h?ca_file=bad.pem'"#),
            [
                #"9:10: "ca_file" cannot be used, "bad.pem": no certificate in PEM"#
            ]
        ),
        Mistake(
            "redisCertificateWithoutKey",
            Sample.gateway(#"store: 'rediss://h?certificate_file=shop.pem'"#),
            [
                #"9:10: "certificate_file" without its key: add "key_file", or leave it out"#
            ]
        ),
        Mistake(
            "redisKeyWithoutCertificate",
            Sample.gateway(#"store: 'rediss://h?key_file=shop.key'"#),
            [
                #"9:10: "key_file" without its certificate: add "certificate_file", or leave it out"#
            ]
        ),
        Mistake(
            "redisKeyOfAnotherCertificate",
            Sample.gateway(#"store: 'rediss://h?certificate_file=shop.pem&key_file=address.key'"#),
            [
                #"9:10: "key_file" is not the key of the certificate in "certificate_file": give the two that belong together"#
            ]
        ),
        Mistake(
            "redisServerNameIsAnAddress",
            Sample.gateway(#"store: 'rediss://h?server_name=10.0.0.1'"#),
            [
                #"9:10: "server_name" must be a host name, but is "10.0.0.1": a server's address is verified without it; leave it out"#
            ]
        ),
    ]
}
