import Testing
import Verification

/// Signatures made with `openssl dgst -sigopt rsa_pss_saltlen:N` by a key that was thrown away, as the signer here
/// makes no other salt than the one that RFC 7518 section 3.5 asks for.
@Suite struct PSSSaltTests {
    private let signingInput = "eyJhbGciOiJQUzI1NiJ9.c2FsdA."

    private func keys() throws -> KeySet {
        let modulus = """
            me2pLgoVUSyOHxXtF2NBTyUL7h8bpIsAQooeEUCVLmi6Mwt5o_HtL5hxFSUAsfJNksnhyzkWXtmwT5geJsKeD8xW6S6-Cg6l\
            MxIfsPkCZU2qMIXpzEjBNGggCG0HMSsAcGUD7fyYmYwU838EBhdwGht-yBPq2-6iy8dP0boN4gCWoD3n21Q6nBZz6saMRLiK\
            ppnrclmd0JOyaJzEmE1enotMMZv-UsnG7Px8bZQ_a4yBUNhdcXw_ewrfjYmZou1X-_kvfiHOVFVOKUgMYbqUOkWs8yd_whvr\
            2JmqseUrLhU0PpMSOtGHHwMzTKY0buV3esOGuykin_xjWEzAKPjumQ
            """
        return try KeySet(jwk: ["kty": "RSA", "e": "AQAB", "n": .string(modulus)])
    }

    @Test func saltOfHashLengthIsAccepted() throws {
        let signature = """
            T3kNVWKB8NshXpqmZSFAf4GodbDak-KuP2dzM6PBgCUThV7GKzrtDVnwVYAREK7VV5pZLnmkYWGOJUaHkkUM9rR4ZUkOJ2lk\
            _I3r6L-WFqj8fexlsOfysg0vD8dNg6bwIAiW8VEqsFC1idr-dU2rtpJKVmPcNJNHXoiOv_7pkUNKS-AyJRBg1k-G0lte8_0n\
            T9DUOXrYvApNx20hq3dELBwcHOTB726lvFMDJ6wwdO34zYEgFW75WN5OJAJnDeIdrM33BR_wAU6wRQYNUb7LDnPPsr92ohy0\
            liN515NgXJVmBZppmX5125bL5Qg1ODfTHNZhRnCnkRV7N024fmt8sA
            """
        _ = try JWS.verify(compact: Array((signingInput + signature).utf8), keys: keys())
    }

    @Test func shorterSaltIsRefused() throws {
        let signature = """
            RONA84i_XyBCr9IOEgJzMaVAm8UNvqiKwRpipe1-hVLoUt85oieltEYEGaw4xwZMtuDVg39Cqi0YxrU2ALv-vI1r8g_Px2oA\
            vW-5qehuuCLjQrIHGK3k8zLb4MzdYmCP1pW4tW9tpih4DCHigfARuOBj_n7d5J-1FlyatFe4ship-m4dJND3xoyDlAR67u6v\
            FiK2SF4bs00KUf1pOuGWAhFwu0yW0jTpKQ8qxM6jhdIs2j919tzkPXA2lDKA4wqEaM8Te7wDzBIjjnblNeq_mXcmmDc4rhq5\
            LKuMsSn68xJUNLZYz7KudoIuYPl1UWzBQeo6EpiFNQTxkF3IpvGdfg
            """
        let keys = try keys()
        #expect(throws: VerificationFailure.self) {
            try JWS.verify(compact: Array((signingInput + signature).utf8), keys: keys)
        }
    }
}
