import TestSupport
import Verification

@testable import IdentityProvider
@testable import Tenants

/// Input of the issuer's endpoints.
enum EndpointFuzz {
    static let targets = [
        form, cookies, authorizationRequest, callback, exchangeBody, hookAnswer, afterTarget, authorizationField,
    ]

    static let form = FuzzTarget(
        "form",
        texts: ["grant_type=authorization_code&code=a%20b&x=", "a=1&b=%C3%A4&c=+", "a=b=c&&d"],
        words: ["&", "=", "%00", "%ff", "%", "a=", "+", "%26"]
    ) { bytes in
        guard let fields = try? FormFields(bytes) else { return false }
        try hold(fields.all.count <= FormFields.mostFields, "\(fields.all.count) parameters")
        try hold(Set(fields.all.map { Array($0.name.utf8) }).count == fields.all.count, "a parameter is repeated")
        let text = FormText.text(of: fields.all)
        let again = try? FormFields(text.utf8)
        let isSame = again.map { again in
            again.all.count == fields.all.count
                && zip(again.all, fields.all).allSatisfy {
                    $0.name.utf8.elementsEqual($1.name.utf8) && $0.value.utf8.elementsEqual($1.value.utf8)
                }
        }
        try hold(isSame == true, "written again, they are others")
        return true
    }

    static let cookies = FuzzTarget(
        "cookies",
        texts: ["a=b; session=x; c=d", "session=", "session=a; session=a", " session=\"q\" ;x"],
        words: ["; session=y", "session=", ";", "session =", "\t", "=", "\u{301}"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = RequestCookies.value(of: "session", in: [text]) else { return false }
        try hold(!value.utf8.contains(UInt8(ascii: ";")), "a value with a semicolon")
        try hold(
            RequestCookies.value(of: "session", in: [text, "session=\(value)"]) == value,
            "another value beside itself"
        )
        let contested = RequestCookies.value(of: "session", in: [text, "session=\(value)rival"])
        try hold(contested == nil, "of two values one is taken")
        return true
    }

    private static let clients = [
        IssuerClient(id: "app", redirectURIs: ["https://app.test/cb", "app://cb"], scopes: ["openid", "email"]),
        IssuerClient(id: "web", redirectURIs: ["https://web.test/cb?x=y"]),
    ]

    static let authorizationRequest = FuzzTarget(
        "authorization-request",
        texts: [
            "response_type=code&client_id=app&redirect_uri=https%3A%2F%2Fapp.test%2Fcb&scope=openid%20email&state=s"
                + "&nonce=n&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
            "response_type=token&client_id=web&redirect_uri=https%3A%2F%2Fweb.test%2Fcb%3Fx%3Dy&state=%0d%0a",
        ],
        words: [
            "&redirect_uri=https%3A%2F%2Fevil.test", "&client_id=web", "&state=", "&prompt=none", "&request=x",
            "%0d%0a",
        ]
    ) { bytes in
        let client: ClientReturn
        switch AuthorizationRequestResult(bytes, clients: clients, bindsCodes: true) {
        case .untrusted: return false
        case .refused(let error, let target):
            client = target
            let url = target.url(target.fields(error, issuer: "https://id.test"))
            try hold(url.utf8.starts(with: target.redirectURI.utf8), "an error goes to \(url)")
        case .valid(let request):
            client = request.client
            try hold(!request.scopes.isEmpty && request.codeChallenge?.utf8.count ?? 43 == 43, "\(request)")
            let allowed = clients.first { $0.id == request.client.clientID }?.scopes ?? []
            try hold(request.scopes.allSatisfy(allowed.contains), "scopes that the client has not: \(request.scopes)")
        }
        let registered = clients.first { $0.id == client.clientID }?.redirectURIs ?? []
        try hold(
            registered.contains { $0.utf8.elementsEqual(client.redirectURI.utf8) },
            "told at \(client.redirectURI)"
        )
        let url = client.url(client.fields(code: "c", issuer: "https://id.test"))
        try hold(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a URL with other bytes: \(url)")
        return true
    }

    static let callback = {
        let id = SignInID(Substring(String(repeating: "AQID", count: 10) + "BAU"))
        let state = id.map { SignInState(id: $0, provider: .apple).text } ?? ""
        return FuzzTarget(
            "provider-callback",
            texts: [
                "state=\(state)&code=abc&user=%7B%22name%22%3A%7B%22firstName%22%3A%22A%22%2C%22lastName%22%3A%22B%22%7D%7D",
                "state=\(state)&error=access_denied", "state=\(state)&iss=https%3A%2F%2Fid.test", "code=a",
            ],
            words: ["&error=x", "&code=", "%00", "&state=", "%0a", "%E2%80%A8"]
        ) { bytes in
            guard let returned = ProviderReturn(bytes) else { return false }
            try hold(SignInState(returned.state.text) == returned.state, "another state, written again")
            guard case .code(let code, let name)? = returned.callback else { return true }
            try hold(!code.isEmpty && code.utf8.count <= 4096, "a code of \(code.utf8.count) bytes")
            if let name { try hold(PlainText.isValid(name, longest: 200), "the name \(name.debugDescription)") }
            return true
        }
    }()

    static let exchangeBody = FuzzTarget(
        "exchange-body",
        texts: [
            #"{"identity_token":"a.b.c","nonce":"n","userIdentifier":"u","full_name":{"givenName":"A","familyName":"B"}}"#,
            #"{"id_token":"a.b.c","email":"a@b.test","name":"A B","user":{"x":1}}"#, #"{"id_token":null,"nonce":""}"#,
        ],
        words: [#""Nonce":"x","#, #""id_token":"x","#, "\\u0065", "null", #""NAME":1,"#, "\\u017f"]
    ) { bytes in
        let request = EndpointRequest(
            endpoint: .appleExchange,
            method: "POST",
            authority: "app.test",
            fields: EndpointRequest.Fields(contentType: "application/json; charset=UTF-8"),
            body: bytes,
            now: 1_800_000_000
        )
        guard let body = try? AppleBody(request) else { return false }
        guard case .object(let object)? = try? JSONParser.parse(bytes) else { throw FuzzFailure("no JSON object") }
        // A case-insensitive reader must not read another token.
        for name in ["identity_token", "id_token", "nonce"] {
            let alike = object.members.filter { $0.name.lowercased() == name }
            try hold(
                alike.count <= 1 && alike.allSatisfy { $0.name.utf8.elementsEqual(name.utf8) },
                "\(name) has two readings"
            )
        }
        try hold(body.identityToken != "" && body.nonce != "", "an empty text is not left out")
        for name in body.names.compactMap(GivenName.read) {
            try hold(PlainText.isValid(name, longest: 200), "the name \(name.debugDescription)")
        }
        return true
    }

    static let hookAnswer = FuzzTarget(
        "account-hook-answer",
        texts: [
            #"{"subject":"u-1","role":"admin","claims":{"tier":"gold","n":[1,2]}}"#, #"{"subject":"u","role":null}"#,
        ],
        words: [#""claims":{"sub":"x"},"#, #""iss":"x","#, "\\u000a", "\\u0000", #""subject":"#, "null"]
    ) { bytes in
        guard let answer = try? AccountHook.Response(bytes) else { return false }
        for text in [answer.subject] + (answer.role.map { [$0] } ?? []) {
            try hold(
                !text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f },
                "\(text.debugDescription) is taken"
            )
        }
        try hold(!answer.claims.members.contains { AccessTokenClaims.reserved.contains($0.name) }, "a reserved claim")
        try hold(JSONWriter.bytes(of: answer.claims).count <= 4096, "claims that are too long")
        return true
    }

    static let afterTarget = FuzzTarget(
        "after-target",
        texts: ["/a/b?c=d#e", "https://app.test/x", "https://app.test?x", "https://app.test", "//evil.test"],
        words: ["//", "/\\", "@evil.test", ":80", ".evil.test", "https://app.test", "\t", "\u{301}", "#"]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let target = PostSignInTarget(text, configured: "https://app.test/home") else { return false }
        let rest = target.url.utf8.dropFirst("https://app.test".utf8.count)
        try hold(target.url.utf8.starts(with: "https://app.test".utf8), "leads to \(target.url)")
        try hold(rest.first.map { "/?#".utf8.contains($0) } ?? true, "leads to \(target.url)")
        try hold(target.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }, "\(target.url)")
        return true
    }

    static let authorizationField = FuzzTarget(
        "authorization-field",
        texts: ["Bearer a.b.c", "DPoP x", "Basic YTpi", "basic  YWJjOg==", "Bearer"],
        words: [" ", "Basic ", "=", "\t", "bearer "]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let token = AuthorizationField.accessToken(text) {
            try hold(
                !token.isEmpty && !token.hasPrefix(" ") && !token.hasSuffix(" "),
                "the token \(token.debugDescription)"
            )
        }
        if let (user, _) = AuthorizationField.basic(text) {
            try hold(!user.contains(UInt8(ascii: ":")), "a user with a colon")
            try hold(AuthorizationField.accessToken(text) == nil, "credentials of two schemes")
            return true
        }
        return AuthorizationField.accessToken(text) != nil
    }
}
