import TestSupport

@testable import Tenants

extension CertificateFolder {
    /// What `makeServer` has made, as a tenant's configuration names it.
    func certificate(_ name: String, clientCA: String? = nil) -> ServerCertificate {
        ServerCertificate(
            certificateFile: file("\(name).pem"),
            keyFile: file("\(name).key"),
            clientCAFile: clientCA.map { file("\($0).pem") }
        )
    }
}
