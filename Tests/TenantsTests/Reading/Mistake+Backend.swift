extension Mistake {
    /// What is wrong in `backend`, its servers' URLs apart.
    static let backend: [Mistake] = [
        Mistake(
            "serverWeightZero",
            Sample.tenant(backend: #"{ servers: [{ url: 'http://127.0.0.1', weight: 0 }] }"#),
            [
                #"5:61: "weight" must be a whole number, but is "0": give one from 1 to 1000"#
            ]
        ),
        Mistake(
            "serverTwice",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1, { url: 'https://127.0.0.1:80' }] }"#),
            [
                #"5:51: "https://127.0.0.1:80" is a server of this backend already (line 5): leave one out, or give it a "weight""#
            ]
        ),
        Mistake(
            "unknownBalance",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], balance: random }"#),
            [
                #"5:54: "balance" must be round_robin, least_requests or hash:subject, but is "random": choose one"#
            ]
        ),
        Mistake(
            "healthPathWithoutSlash",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], health: { path: health } }"#),
            [
                #"5:61: "path" must be like /health, but is "health": begin it with "/", and percent-encode spaces and what is not ASCII"#
            ]
        ),
        Mistake(
            "healthPathWithSpace",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], health: { path: '/a b' } }"#),
            [
                #"5:61: "path" must be like /health, but is "/a b": begin it with "/", and percent-encode spaces and what is not ASCII"#
            ]
        ),
        Mistake(
            "healthWithoutPath",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], health: { every: 1s } }"#),
            [
                #"5:45: "health" lacks "path": add "path: /health""#
            ]
        ),
        Mistake(
            "retryOfPost",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], retries: { methods: [GET, POST] } }"#),
            [
                #"5:71: "POST" is not idempotent, sent twice it may be done twice (RFC 9110 section 9.2.2): leave it out; the methods that may be repeated are GET, HEAD, OPTIONS, TRACE, PUT, DELETE"#
            ]
        ),
        Mistake(
            "retryOfUnknownMethod",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], retries: { methods: [PURGE] } }"#),
            [
                #"5:66: "PURGE" is not idempotent, sent twice it may be done twice (RFC 9110 section 9.2.2): leave it out; the methods that may be repeated are GET, HEAD, OPTIONS, TRACE, PUT, DELETE"#
            ]
        ),
        Mistake(
            "retryOfSmallMethod",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], retries: { methods: [get] } }"#),
            [
                #"5:66: "get" matches no usual request, methods are case-sensitive: write it in capitals"#
            ]
        ),
        Mistake(
            "retryOfNoMethod",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], retries: { methods: ['G T'] } }"#),
            [
                #"5:66: "G T" is no method: write it like GET or PUT"#
            ]
        ),
        Mistake(
            "retryAfterUnknownFailure",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], retries: { on: [timeout] } }"#),
            [
                #"5:61: an item of "on" must be one of connect_failure, reset_before_response, but is "timeout": choose one of them"#
            ]
        ),
        Mistake(
            "backendTLSWithoutHTTPS",
            Sample.tenant(backend: #"{ servers: [http://127.0.0.1], tls: { server_name: a.test } }"#),
            [
                #"5:45: warning: no server of this backend is https, "tls" changes nothing: write its URL with https://, or leave this out"#
            ]
        ),
        Mistake(
            "backendCertificateWithoutKey",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { certificate_file: shop.pem } }"#),
            [
                #"5:53: "certificate_file" without its key: add "key_file", or leave it out"#
            ]
        ),
        Mistake(
            "backendKeyWithoutCertificate",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { key_file: shop.key } }"#),
            [
                #"5:53: "key_file" without its certificate: add "certificate_file", or leave it out"#
            ]
        ),
        Mistake(
            "backendKeyOfAnother",
            Sample.tenant(
                backend:
                    #"{ servers: [https://127.0.0.1], tls: { certificate_file: shop.pem, key_file: address.key } }"#
            ),
            [
                #"5:91: "key_file" is not the key of the certificate in "certificate_file": give the two that belong together"#
            ]
        ),
        Mistake(
            "backendAuthoritiesMissing",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { ca_file: none.pem } }"#),
            [
                #"5:62: "ca_file" cannot be read, "none.pem": no such file or directory"#
            ]
        ),
        Mistake(
            "backendAuthoritiesWithoutCertificate",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { ca_file: bad.pem } }"#),
            [
                #"5:62: "ca_file" cannot be used, "bad.pem": no certificate in PEM"#
            ]
        ),
        Mistake(
            "serverNameWithPort",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { server_name: 'a.test:443' } }"#),
            [
                #"5:66: "server_name" must be a host name, but is "a.test:443": a name has letters, digits, "-" and dots"#
            ]
        ),
        Mistake(
            "serverNameIsAnAddress",
            Sample.tenant(backend: #"{ servers: [https://127.0.0.1], tls: { server_name: 127.0.0.1 } }"#),
            [
                #"5:66: "server_name" must be a host name, but is "127.0.0.1": a server's address is verified without it; leave it out"#
            ]
        ),
    ]
}
