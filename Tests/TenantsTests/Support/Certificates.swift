import Foundation
import TestSupport

/// Certificates and keys of the tests, made once by the `openssl` command.
///
/// - `shop` is for shop.test and *.shop.test; `address` for 127.0.0.1 and ::1; each has a `.pem` and a `.key`.
/// - `chain.pem` begins with `address`, then has `shop`.
enum Certificates {
    /// By name; empty where `openssl` is missing, so that the tests say which file they lack.
    static let files: [String: String] = (try? make()) ?? [:]

    private static func make() throws -> [String: String] {
        try OpenSSLCommand.inDirectory { openSSL in
            try openSSL.makeCertificate("shop", alternativeNames: "DNS:SHOP.test,DNS:*.shop.test")
            try openSSL.makeCertificate("address", alternativeNames: "IP:127.0.0.1,IP:::1")
            let cipher = ["-aes256", "-passout", "pass:password"]
            try openSSL.run(["pkey", "-in", "shop.key", "-out", "encrypted.key"] + cipher)
            var files: [String: String] = [:]
            for name in ["shop.pem", "shop.key", "address.pem", "address.key", "encrypted.key"] {
                files[name] = String(decoding: try openSSL.content(name), as: UTF8.self)
            }
            files["chain.pem"] = (files["address.pem"] ?? "") + (files["shop.pem"] ?? "")
            return files
        }
    }
}
