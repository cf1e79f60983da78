import TestSupport
import Testing
import Verification

@testable import AdminAPI

/// Problems of the admin API as documents.
struct AdminProblemTests {
    @Test func problemIsForProgramsAndPeople() {
        #expect(
            JSONWriter.text(of: .object(AdminProblem(.unknownTenant, "no such \"tenant\"").json))
                == #"{"type":"about:blank","title":"There is no such tenant","status":404,"#
                + #""detail":"no such \"tenant\"","code":"unknown_tenant"}"#
        )
    }

    @Test func statusesFitTheCodes() {
        let statuses = AdminProblem.Code.allCases.map { code in
            "\(code.rawValue) \(Int(AdminProblem(code, "").json["status"]?.double ?? 0))"
        }
        #expect(
            statuses == [
                "bad_request 400", "missing_token 401", "invalid_token 401", "cross_site_request 403",
                "insufficient_scope 403", "unknown_tenant 404", "unknown_account 404", "unknown_passkey 404",
                "not_found 404", "method_not_allowed 405",
                "tenant_refused 400", "precondition_required 428", "version_changed 412", "host_taken 409",
                "tenant_in_file 409", "tenants_not_stored 409", "too_many_tenants 409", "no_sealing_key 409",
                "keys_elsewhere 409", "no_issuer 409", "no_accounts 409",
                "payload_too_large 413", "unsupported_media_type 415", "configuration_refused 422",
                "internal_error 500", "store_unavailable 503", "too_many_streams 503",
            ]
        )
    }
}
