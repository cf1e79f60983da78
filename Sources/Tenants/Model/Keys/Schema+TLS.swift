extension Schema {
    static let serverCertificate = ServerCertificateKeys(
        certificateFile: .path(example: "tls/chain.pem"),
        keyFile: .path(example: "tls/key.pem"),
        clientCAFile: .path(example: "tls/clients.pem"),
        authorities: "Who signs the clients' certificates (mTLS). With it a client must have one."
    )
    static let adminTLS = ServerCertificateKeys(
        certificateFile: .path(example: "tls/admin.pem"),
        keyFile: .path(example: "tls/admin-key.pem"),
        clientCAFile: .path(example: "tls/operators.pem"),
        authorities: "Who signs the operators' certificates (mTLS). One of them stands for the token."
    )

    /// The certificate of a listener with TLS.
    struct ServerCertificateKeys: KeyTable {
        let certificateFile: Key<String?>
        let keyFile: Key<String?>
        let clientCAFile: Key<String?>

        /// - Parameter authorities: The meaning of `client_ca_file`.
        init(
            certificateFile: KeyType<String>,
            keyFile: KeyType<String>,
            clientCAFile: KeyType<String>,
            authorities: String
        ) {
            self.certificateFile = Key("certificate_file", certificateFile, isRequired: true)
                .means("The chain in PEM, leaf first.")
            self.keyFile = Key("key_file", keyFile, isRequired: true).means("Its private key in PEM.")
            self.clientCAFile = Key("client_ca_file", clientCAFile).means(authorities)
        }
    }
}
