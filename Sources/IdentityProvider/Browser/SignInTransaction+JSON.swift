import Tenants
import Time
import Verification

/// A sign-in under way as sealed for the store: a JSON object.
extension SignInTransaction {
    var json: [UInt8] {
        var object: JSONObject = [
            "binding": .bytes(bindingHash),
            "expires": .time(expiresAt),
        ]
        var named = JSONObject()
        for (provider, leg) in legs {
            switch provider {
            case .apple, .google: object[provider.rawValue] = .object(leg.json)
            // Apart, since a provider may have the name of any member.
            case .named(let name): named[name] = .object(leg.json)
            }
        }
        if !named.members.isEmpty { object["providers"] = .object(named) }
        switch purpose {
        case .client(let request): object["client"] = .object(request.json)
        case .web(let after): object["after"] = .string(after)
        }
        if let passkeyChallenge { object["passkey"] = .bytes(passkeyChallenge) }
        if demand != SignInDemand() { object["demand"] = .object(demand.json) }
        if let posted { object["posted"] = .object(posted.json) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object,
            let bindingHash = object["binding"]?.bytes,
            let expiresAt = object["expires"]?.double
        else { return nil }
        if let request = object["client"]?.object.flatMap(AuthorizationRequest.init) {
            purpose = .client(request)
        } else if let after = object["after"]?.string {
            purpose = .web(after: after)
        } else {
            return nil
        }
        var legs: [SignIn.Provider: Leg] = [:]
        for provider in SignIn.Provider.wellKnown {
            legs[provider] = object[provider.rawValue]?.object.flatMap(Leg.init)
        }
        for member in object["providers"]?.object?.members ?? [] {
            legs[.named(member.name)] = member.value.object.flatMap(Leg.init)
        }
        self.legs = legs
        self.bindingHash = bindingHash
        self.expiresAt = UnixTime(expiresAt)
        posted = object["posted"]?.object.flatMap(Posted.init)
        passkeyChallenge = object["passkey"]?.bytes
        demand = object["demand"]?.object.map(SignInDemand.init) ?? SignInDemand()
    }
}

extension SignInTransaction.Leg {
    fileprivate var json: JSONObject {
        ["nonce": .string(nonce), "verifier": .string(codeVerifier), "redirect": .string(redirectURI)]
    }

    fileprivate init?(_ object: JSONObject) {
        guard let nonce = object["nonce"]?.string, let codeVerifier = object["verifier"]?.string,
            let redirectURI = object["redirect"]?.string
        else { return nil }
        self.init(nonce: nonce, codeVerifier: codeVerifier, redirectURI: redirectURI)
    }
}

extension SignInTransaction.Posted {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["provider": .string(provider.rawValue)]
        switch callback {
        case .code(let code, let givenName):
            object["code"] = .string(code)
            if let givenName { object["name"] = .string(givenName) }
        case .cancelled: object["cancelled"] = true
        case .failed: break
        }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        guard let provider = object["provider"]?.string.flatMap(SignIn.Provider.init) else { return nil }
        if let code = object["code"]?.string {
            self.init(provider: provider, callback: .code(code, givenName: object["name"]?.string))
        } else {
            self.init(provider: provider, callback: object["cancelled"]?.bool == true ? .cancelled : .failed)
        }
    }
}

extension SignInDemand {
    fileprivate var json: JSONObject {
        var object = JSONObject()
        if isAnew { object["anew"] = true }
        if let subject { object["sub"] = .string(subject) }
        if let subjectName { object["name"] = .string(subjectName) }
        if let notBefore { object["after"] = .time(notBefore) }
        if let maxAge { object["max_age"] = .number(JSONNumber(Int(maxAge))) }
        if let loginHint { object["hint"] = .string(loginHint) }
        if let offered { object["offered"] = .string(offered) }
        return object
    }

    fileprivate init(_ object: JSONObject) {
        isAnew = object["anew"]?.bool ?? false
        subject = object["sub"]?.string
        subjectName = object["name"]?.string
        notBefore = object["after"]?.time
        maxAge = object["max_age"]?.double
        loginHint = object["hint"]?.string
        offered = object["offered"]?.string
    }
}

extension AuthorizationRequest {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "id": .string(client.clientID),
            "redirect": .string(client.redirectURI),
            "scopes": .array(scopes.map(JSONValue.string)),
        ]
        if let codeChallenge { object["challenge"] = .string(codeChallenge) }
        if client.mode != .query { object["mode"] = .string(client.mode.rawValue) }
        if let state = client.state { object["state"] = .string(state) }
        if let nonce { object["nonce"] = .string(nonce) }
        if let keyThumbprint { object["jkt"] = .bytes(keyThumbprint) }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        guard let clientID = object["id"]?.string, let redirectURI = object["redirect"]?.string,
            let scopes = object["scopes"]?.stringOrStrings
        else { return nil }
        let mode = object["mode"]?.string.flatMap(ClientReturn.Mode.init) ?? .query
        self.init(
            client: ClientReturn(kept: clientID, redirectURI: redirectURI, state: object["state"]?.string, mode: mode),
            scopes: scopes,
            nonce: object["nonce"]?.string,
            codeChallenge: object["challenge"]?.string,
            // An unreadable thumbprint becomes an empty one, which no key matches.
            keyThumbprint: object["jkt"]?.string.map { Base64URL.decode($0) ?? [] }
        )
    }
}
