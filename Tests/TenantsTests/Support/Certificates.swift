import Foundation
import TestSupport

/// Certificates and keys of the tests, made once by the `openssl` command.
///
/// - `shop` is for shop.test and *.shop.test; `address` for 127.0.0.1 and ::1; each has a `.pem` and a `.key`.
/// - `p256.pem` and `p256-2.pem` are private keys, `p256-public.pem` and `p256-encrypted.pem` the first in other forms.
/// - `chain.pem` begins with `address`, then has `shop`.
enum Certificates {
    /// By name; empty where `openssl` is missing, so that the tests say which file they lack.
    static let files: [String: String] = (try? make()) ?? [:]

    private static let signingKeys = [
        "rsa-1024.pem", "p256.pem", "p256-2.pem", "p256-public.pem", "p256-encrypted.pem",
    ]

    private static func make() throws -> [String: String] {
        try OpenSSLCommand.inDirectory { openSSL in
            try openSSL.makeCertificate("shop", alternativeNames: "DNS:SHOP.test,DNS:*.shop.test")
            try openSSL.makeCertificate("address", alternativeNames: "IP:127.0.0.1,IP:::1")
            let cipher = ["-aes256", "-passout", "pass:password"]
            try openSSL.run(["pkey", "-in", "shop.key", "-out", "encrypted.key"] + cipher)
            try openSSL.run(["genrsa", "-out", "rsa-1024.pem", "1024"])
            for name in ["p256.pem", "p256-2.pem"] {
                try openSSL.run(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name])
            }
            try openSSL.run(["pkey", "-in", "p256.pem", "-pubout", "-out", "p256-public.pem"])
            try openSSL.run(["pkey", "-in", "p256.pem", "-out", "p256-encrypted.pem"] + cipher)
            var files: [String: String] = [:]
            for name in ["shop.pem", "shop.key", "address.pem", "address.key", "encrypted.key"] + signingKeys {
                files[name] = String(decoding: try openSSL.content(name), as: UTF8.self)
            }
            files["chain.pem"] = (files["address.pem"] ?? "") + (files["shop.pem"] ?? "")
            return files
        }
    }
}
