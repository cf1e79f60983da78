import Demo
import Testing
import Verification

@testable import GatehouseDemo

/// The parts of trials that need no gateway.
struct TrialValueTests {
    @Test(
        arguments: [
            ("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl", "Bearer eyJhbGciOiJI…F0dXJl"),
            ("{\"a\":\"0123456789012345678901234567890123456789x\"}", "{\"a\":\"012345678901…56789x\"}"),
            ("0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789"),
            ("a030d6b0-7d6d-48cf-827c-cdb39ad1f1fe, größer", "a030d6b0-7d6d-48cf-827c-cdb39ad1f1fe, größer"), ("", ""),
        ]
    )
    func middleOfTokenIsNotShown(_ text: String, _ shown: String) {
        #expect(ShownText.shortened(text) == shown)
    }

    @Test func curlLinesTakeTokensFromVariables() {
        let customer = TrialApp(app: .customer, port: 8080)
        #expect(customer.curl(.none) == "curl -i http://customer.localhost:8080/api/jobs")
        #expect(
            customer.curl(.current)
                == "curl -i -H \"Authorization: Bearer $CUSTOMER_TOKEN\" http://customer.localhost:8080/api/jobs"
        )
        let finance = TrialApp(app: .finance, port: 80)
        #expect(
            finance.curl(.expired)
                == "curl -i -b \"auth-token=$FINANCE_EXPIRED_TOKEN\" http://finance.localhost:80/api/accounts"
        )
        let chat = TrialApp(app: .chat, port: 80).curl(.current)
        #expect(chat.contains("ce_access_token=$CHAT_TOKEN; ce_refresh_token=$CHAT_REFRESH_TOKEN"))
    }

    @Test func newTokensAreTakenFromResponse() {
        let old = SampleSession(accessToken: "old", refreshToken: "old refresh")
        let chat = TrialApp(app: .chat, port: 80)
        let both = TrialResponse(
            status: 200,
            reason: "OK",
            fields: [("Set-Cookie", "ce_access_token=new; Path=/"), ("set-cookie", "ce_refresh_token=next; Path=/")],
            body: ""
        )
        #expect(chat.session(old, refreshedBy: both) == SampleSession(accessToken: "new", refreshToken: "next"))
        let header = TrialResponse(status: 200, reason: "OK", fields: [("x-refreshed-token", "new")], body: "")
        #expect(chat.session(old, refreshedBy: header) == nil)
        let clans = TrialApp(app: .clans, port: 80)
        #expect(clans.session(old, refreshedBy: header)?.accessToken == "new")
        #expect(TrialApp(app: .finance, port: 80).session(old, refreshedBy: header) == nil)
    }
}
