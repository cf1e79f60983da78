extension Mistake {
    /// What is wrong with listeners' and tenants' TLS.
    static let tls: [Mistake] = [
        Mistake(
            "tlsListenerWithoutCertificate",
            Sample.gateway("listen: [{ address: 127.0.0.1:8080 }, { address: 127.0.0.1:8443, tls: true }]"),
            [
                #"9:68: a listener with tls, and no tenant has a certificate: add "tls" to a tenant"#
            ]
        ),
        Mistake(
            "certificateWithoutListener",
            Sample.tenant(more: "tls: { certificate_file: shop.pem, key_file: shop.key }"),
            [
                #"8:5: warning: no listener shows this certificate: add "tls: true" to a listener of the gateway"#
            ]
        ),
        Mistake(
            "certificateWithPlainListener",
            Sample.gateway(
                "listen: [{ address: 127.0.0.1:8080, tls: false }]",
                more: "tls: { certificate_file: shop.pem, key_file: shop.key }"
            ),
            [
                #"8:5: warning: no listener shows this certificate: add "tls: true" to a listener of the gateway"#
            ]
        ),
        Mistake(
            "tlsWithoutKey",
            Sample.tls(#"{ certificate_file: shop.pem }"#),
            [
                #"8:5: "tls" lacks "key_file": add "key_file: tls/key.pem""#
            ]
        ),
        Mistake(
            "tlsFilesMissing",
            Sample.tls(#"{ certificate_file: none.pem, key_file: none.key, client_ca_file: none.ca }"#),
            [
                #"8:30: "certificate_file" cannot be read, "none.pem": no such file or directory"#,
                #"8:50: "key_file" cannot be read, "none.key": no such file or directory"#,
                #"8:76: "client_ca_file" cannot be read, "none.ca": no such file or directory"#,
            ]
        ),
        Mistake(
            "tlsFilesAreNotPEM",
            Sample.tls(#"{ certificate_file: bad.pem, key_file: bad.pem, client_ca_file: bad.pem }"#),
            [
                #"8:30: "certificate_file" cannot be used, "bad.pem": no certificate in PEM"#,
                #"8:49: "key_file" cannot be used, "bad.pem": no private key in PEM"#,
                #"8:74: "client_ca_file" cannot be used, "bad.pem": no certificate in PEM"#,
            ]
        ),
        Mistake(
            "keyOfAnotherCertificate",
            Sample.tls(#"{ certificate_file: shop.pem, key_file: address.key }"#),
            [
                #"8:50: "key_file" is not the key of the certificate in "certificate_file": give the two that belong together"#
            ]
        ),
        Mistake(
            "leafIsNotFirst",
            Sample.tls(#"{ certificate_file: chain.pem, key_file: shop.key }"#, hosts: #"[127.0.0.1]"#),
            [
                #"8:30: "certificate_file" begins with another certificate, the key belongs to its certificate 2: put that one first"#
            ]
        ),
        Mistake(
            "keyIsEncrypted",
            Sample.tls(#"{ certificate_file: shop.pem, key_file: encrypted.key }"#),
            [
                #"8:50: "key_file" cannot be used, "encrypted.key": the key is encrypted; decrypt it (openssl pkey) and keep the file to yourself (mode 0600)"#
            ]
        ),
        Mistake(
            "hostsOutsideTheCertificate",
            Sample.tls(
                #"{ certificate_file: shop.pem, key_file: shop.key }"#,
                hosts: #"[shop.test, a.shop.test, '*.shop.test', b.a.shop.test, other.test, '*.test']"#
            ),
            [
                #"4:52: warning: the certificate of "tls" is not for "b.a.shop.test", clients refuse it there: get one with this name"#,
                #"4:67: warning: the certificate of "tls" is not for "other.test", clients refuse it there: get one with this name"#,
                #"4:79: warning: the certificate of "tls" is not for "*.test", clients refuse it there: get one with this name"#,
            ]
        ),
        Mistake(
            "clientCertificateFieldAsIdentity",
            Sample.tenant(more: "identity: { headers: { x_client_certificate_subject: sub, Sec-WebSocket-Key: sub } }"),
            [
                #"8:28: "x_client_certificate_subject" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"#,
                #"8:63: "Sec-WebSocket-Key" has a meaning of its own and cannot carry a claim: choose a name like X-User-Id"#,
            ]
        ),
        Mistake(
            "sharedHostWithOtherCertificate",
            Sample.sharedHost(
                "{ certificate_file: shop.pem, key_file: shop.key }",
                "{ certificate_file: shop.pem, key_file: shop.key, client_ca_file: shop.pem }"
            ),
            [
                #"12:13: "shop.test" is tenant "shop"'s too (line 4), with other "tls", and a name can show one certificate only: write the same "tls" in both"#
            ]
        ),
        Mistake(
            "sharedHostWithoutCertificate",
            Sample.sharedHost("{ certificate_file: shop.pem, key_file: shop.key }", nil),
            [
                #"12:13: "shop.test" is tenant "shop"'s too (line 4), with other "tls", and a name can show one certificate only: write the same "tls" in both"#
            ]
        ),
    ]
}
