import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct NamedIdentityTests {
    private static func who(_ groupsClaim: String) throws -> SignInAdmission {
        SignInAdmission(
            emailDomains: [],
            emailsFile: nil,
            groups: ["staff"],
            groupsClaim: try #require(ClaimPlace(groupsClaim))
        )
    }

    private static func identity(
        _ claims: JSONObject,
        _ rules: NamedProvider? = nil,
        groupsClaim: String? = nil,
        email: String? = nil
    ) throws -> ProviderIdentity? {
        let reader = NamedIdentity(try rules ?? .openID(), who: try groupsClaim.map(who))
        return reader.identity(claims, email: email.flatMap { ListedEmail(Array($0.utf8)) })
    }

    @Test func identityIsRead() throws {
        let identity = try #require(
            try Self.identity(["sub": "u-1", "email": "a@b.example", "email_verified": true, "name": "Alice"])
        )
        #expect(identity.provider == .named("company"))
        #expect(identity.subject == "u-1")
        #expect(identity.email == "a@b.example")
        #expect(identity.isEmailVerified)
        #expect(identity.name == "Alice")
        #expect(identity.claims.members.isEmpty)
        #expect(identity.groups.isEmpty, "without a rule none are kept")
    }

    /// One object's word about its own address must not make another's count.
    @Test func emailAndItsVerdictComeFromOneObject() throws {
        let reader = NamedIdentity(try .openID(), who: nil)
        let victim: JSONObject = ["sub": "u", "email": "victim@shop.example"]
        let own: JSONObject = ["sub": "u", "email": "me@evil.example", "email_verified": true]
        #expect(reader.emailSource(victim, own) == victim)
        let identity = try #require(
            reader.identity(victim.changed(["email_verified": true]), emailFrom: reader.emailSource(victim, own))
        )
        #expect(identity.email == "victim@shop.example" && !identity.isEmailVerified)
        let same: JSONObject = ["sub": "u", "email": "victim@shop.example", "email_verified": true]
        #expect(reader.emailSource(victim, same) == same)
        #expect(reader.emailSource(["sub": "u"], own) == own)
        let refuted: JSONObject = ["sub": "u", "email": "a@b.example", "email_verified": false]
        #expect(reader.emailSource(refuted, refuted.changed(["email_verified": true])) == refuted)
    }

    @Test func listThatIsHiddenMakesNoAddressVerified() throws {
        let reader = NamedIdentity(try .openID(emailVerified: .always), who: nil)
        let identity = try #require(reader.identity(["sub": "u", "email": "a@b.example"], email: .hidden))
        #expect(identity.email == "a@b.example" && !identity.isEmailVerified)
    }

    @Test(arguments: [[:], ["sub": ""], ["sub": -1], ["sub": true], ["sub": ["u"]], ["sub": "a\nb"]] as [JSONObject])
    func subjectThatIsNoneIsRefused(claims: JSONObject) throws {
        #expect(try Self.identity(claims) == nil)
    }

    @Test func numberIsSubjectAsItIsWritten() throws {
        #expect(try Self.identity(["id": 583_231], .codeHost())?.subject == "583231")
    }

    @Test(
        arguments: [
            (["email": "a@b.example"], false), (["email": "a@b.example", "email_verified": false], false),
            (["email": "a@b.example", "email_verified": "true"], true), (["email_verified": true], false),
            (["email": "a@b.example, c@d.example", "email_verified": true], false),
        ] as [(JSONObject, Bool)]
    )
    func emailIsVerifiedOnlyIfProviderSaysSo(claims: JSONObject, isVerified: Bool) throws {
        let identity = try #require(try Self.identity(claims.changed(["sub": "u"])))
        #expect(identity.isEmailVerified == isVerified)
    }

    @Test func ruleReplacesTheClaim() throws {
        let claims: JSONObject = ["sub": "u", "email": "a@b.example", "email_verified": true]
        #expect(try Self.identity(claims, .openID(emailVerified: .never))?.isEmailVerified == false)
        #expect(
            try Self.identity(["sub": "u", "email": "a@b.example"], .openID(emailVerified: .always))?.isEmailVerified
                == true
        )
        let place = try #require(ClaimPlace("xms_edov"))
        #expect(try Self.identity(claims, .openID(emailVerified: .claim(place)))?.isEmailVerified == false)
    }

    @Test(
        arguments: [
            (
                #"[{"email":"x@y.example","primary":false,"verified":true},{"email":"a@b.example","primary":true,"verified":true}]"#,
                "a@b.example", true
            ),
            (#"[{"email":"a@b.example","primary":true,"verified":false}]"#, "a@b.example", false),
            (#"[{"email":"a@b.example","primary":false,"verified":true}]"#, nil, false),
            ("[]", nil, false),
        ] as [(String, String?, Bool)]
    )
    func primaryAddressOfListCounts(list: String, email: String?, isVerified: Bool) throws {
        let identity = try #require(try Self.identity(["id": 1], .codeHost(), email: list))
        #expect(identity.email == email)
        #expect(identity.isEmailVerified == isVerified)
    }

    @Test func claimsAreMapped() throws {
        let rules = try NamedProvider.openID(claims: ["role": "/realm_access/roles/0", "org": "org", "none": "/a/b"])
        let claims: JSONObject = ["sub": "u", "realm_access": ["roles": ["admin", "x"]], "org": 7, "other": "y"]
        let identity = try #require(try Self.identity(claims, rules))
        #expect(identity.claims == ["role": "admin", "org": 7])
    }

    @Test func claimsAreBounded() throws {
        let rules = try NamedProvider.openID(claims: ["a": "a", "b": "b", "c": "c"])
        let long = JSONValue.string(String(repeating: "x", count: 3000))
        let identity = try #require(try Self.identity(["sub": "u", "a": "1", "b": long, "c": long], rules))
        #expect(identity.claims.members.map(\.name) == ["a", "b"])
    }

    @Test(
        arguments: [
            (["groups": ["staff", 1, "x"]], ["staff", "x"]), (["groups": "staff"], ["staff"]),
            (["groups": ["staff": ["id": "org"]]], ["staff"]), (["groups": 1], []), ([:], []),
        ] as [(JSONObject, [String])]
    )
    func groupsAreRead(claims: JSONObject, groups: [String]) throws {
        let identity = try #require(try Self.identity(claims.changed(["sub": "u"]), groupsClaim: "/groups"))
        #expect(identity.groups == groups)
    }

    @Test func groupsAreBounded() throws {
        let many = JSONValue.array((0..<2000).map { .string("g\($0)") })
        #expect(try Self.identity(["sub": "u", "groups": many], groupsClaim: "groups")?.groups.count == 1000)
    }

    @Test func userInfoIsNeededForWhatIsMissing() throws {
        let rules = try NamedProvider.openID(claims: ["org": "org"])
        let reader = NamedIdentity(rules, who: try Self.who("groups"))
        #expect(!reader.isIncomplete(["email": "a@b.example", "org": 1, "groups": []]))
        for missing in ["email", "org", "groups"] {
            var claims: JSONObject = ["email": "a@b.example", "org": 1, "groups": []]
            claims[missing] = nil
            #expect(reader.isIncomplete(claims), "\(missing)")
        }
    }
}
