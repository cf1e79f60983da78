/// The script of pages with passkeys. Without it they say nothing of passkeys; it loads nothing else, and writes texts
/// of the page alone.
enum PasskeyScript {
    static let response = EndpointResponse(
        status: 200,
        fields: [
            EndpointResponse.Field("Content-Type", "text/javascript; charset=utf-8"),
            EndpointResponse.Field("Cache-Control", "public, max-age=300"),
            EndpointResponse.Field("X-Content-Type-Options", "nosniff"),
            EndpointResponse.Field("Cross-Origin-Resource-Policy", "same-origin"),
        ],
        body: Array(text.utf8)
    )

    private static let text = """
        "use strict";
        (() => {
          const place = document.getElementById("passkey");
          if (!place || !window.PublicKeyCredential || !navigator.credentials) return;
          const data = place.dataset;
          const button = place.querySelector("button");
          const decode = text => Uint8Array.from(
            atob(text.replace(/-/g, "+").replace(/_/g, "/")), character => character.charCodeAt(0));
          const encode = buffer => btoa(Array.from(new Uint8Array(buffer), byte => String.fromCharCode(byte)).join(""))
            .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
          const say = text => { place.querySelector("[role=status]").textContent = text; };
          const send = async fields => {
            const response = await fetch(data.url, {
              method: "POST", body: new URLSearchParams(fields), credentials: "same-origin", cache: "no-store",
            });
            return response.json();
          };

          // Browsers open an app only where somebody has just clicked.
          const go = url => {
            const link = place.querySelector("a");
            if (link && !/^https?:/.test(url)) {
              link.href = url;
              link.hidden = false;
            }
            location.assign(url);
          };

          const post = ({ url, fields }) => {
            const form = document.createElement("form");
            form.method = "post";
            form.action = url;
            for (const [name, value] of Object.entries(fields)) {
              const input = document.createElement("input");
              Object.assign(input, { type: "hidden", name, value });
              form.append(input);
            }
            document.body.append(form);
            form.submit();
          };

          const add = async () => {
            const name = place.querySelector("input").value;
            const begun = await send({ action: "begin_passkey", token: data.token });
            if (!begun.options) return say(begun.message || data.failed);
            const options = begun.options;
            const challenge = options.challenge;
            options.challenge = decode(challenge);
            options.user.id = decode(options.user.id);
            for (const known of options.excludeCredentials) known.id = decode(known.id);
            const made = await navigator.credentials.create({ publicKey: options });
            const added = await send({
              action: "add_passkey", token: data.token, challenge, name,
              client_data: encode(made.response.clientDataJSON),
              attestation: encode(made.response.attestationObject),
            });
            if (!added.location) return say(added.message || data.failed);
            go(added.location);
          };

          let waiting = null;
          const signIn = async mediation => {
            if (waiting) waiting.abort();
            const abort = waiting = new AbortController();
            const found = await navigator.credentials.get({
              mediation, signal: abort.signal, publicKey: {
                challenge: decode(data.challenge), rpId: data.rp, userVerification: "required", timeout: 300000,
              },
            });
            if (waiting === abort) waiting = null;
            const signedIn = await send({
              state: data.state, id: encode(found.rawId),
              client_data: encode(found.response.clientDataJSON),
              authenticator_data: encode(found.response.authenticatorData),
              signature: encode(found.response.signature),
              user_handle: encode(found.response.userHandle || new ArrayBuffer(0)),
            });
            if (signedIn.form) return post(signedIn.form);
            if (signedIn.location) return go(signedIn.location);
            if (signedIn.challenge) data.challenge = signedIn.challenge;
            say(signedIn.message || data.failed);
            offer();
          };
          const offer = async () => {
            const isOffered = PublicKeyCredential.isConditionalMediationAvailable;
            // Nobody has asked for it yet: where it does not work, there is the button.
            if (isOffered && await isOffered.call(PublicKeyCredential)) signIn("conditional").catch(() => {});
          };

          const attempt = step => step().catch(problem => {
            if (problem.name !== "AbortError") say(data.failed);
          });
          place.hidden = false;
          button.addEventListener("click", () => {
            say("");
            attempt(data.purpose === "add" ? add : () => signIn("optional"));
          });
          if (data.purpose === "sign-in") offer();
        })();

        """
}
