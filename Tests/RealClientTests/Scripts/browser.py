"""People at a gateway's pages, in Chromium: browser.py SCENARIO KEY=VALUE...

Prints one line of JSON. `authorize` is where an app sends people, `site` the origin that the gateway's pages are on,
`app` that of the app's own site.
"""

import asyncio
import json
import sys
import urllib.parse
import urllib.request

from devtools import Trouble, chromium
from looks import DESKTOP, FOCUSED, MEASURE, NARROW, PHONE


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


async def page(browser, authorize, **_):
    """The page on every screen, in both schemes."""
    shown = []
    for look in [PHONE, DESKTOP, NARROW]:
        for scheme in ["light", "dark"]:
            tab = await browser.page(await browser.person(), scheme=scheme, **look)
            await tab.go(authorize)
            # Late complaints have come when what was asked after them is answered.
            measured = await tab.evaluate(MEASURE)
            foreign = [url for url in tab.requests if origin(url) != origin(authorize)]
            shown.append({"width": look["width"], "scheme": scheme, "complaints": tab.complaints, "foreign": foreign,
                          "requests": len(tab.requests), **measured})
    names = [[role, name] for role, name in await tab.names() if role not in ["StaticText", "InlineTextBox"]]
    return {"shown": shown, "names": names, "language": await tab.evaluate("document.documentElement.lang")}


async def keyboard(browser, authorize, provider, script="on", **_):
    """From the app's link back into the app, without a mouse."""
    tab = await browser.page(await browser.person(), script=script == "on")
    await tab.go(authorize)
    heading, binding = await tab.heading(), await tab.cookies()
    order = []
    while len(order) < 10:
        await tab.press("Tab")
        focused = await tab.evaluate(FOCUSED)
        if focused is None or focused in order:
            break
        order.append(focused)
    for _ in range(10):
        focused = await tab.evaluate(FOCUSED)
        if focused and focused["text"] == f"Sign in with {provider}":
            break
        await tab.press("Tab")
    complaints = list(tab.complaints)
    async with tab.moving():
        await tab.press("Enter")
    await tab.press("Tab")
    async with tab.moving():
        await tab.press("Enter")
    end = await tab.url()
    return {"heading": heading, "binding": binding, "order": order, "complaints": complaints,
            "end": end.split("?")[0], **query(end), "left": await tab.cookies(authorize),
            "callbacks": [list(query(url)) for url in tab.requests if "/oauth2/callback/" in url]}


async def two_windows(browser, authorize, **_):
    """Two sign-ins of one person at once."""
    person = await browser.person()
    first, second = await browser.page(person), await browser.page(person)
    for tab in [first, second]:
        await tab.go(authorize)
    for tab, provider in [(first, "Google"), (second, "Apple")]:
        await tab.follow(f"Sign in with {provider}")
    ends = []
    for tab in [first, second]:
        await tab.follow("Continue as")
        ends.append("code" in query(await tab.url()))
    return {"ended": ends}


async def cancel(browser, authorize, provider, **_):
    """Somebody thinks better of it, on the page and at the provider."""
    tab = await browser.page(await browser.person())
    await tab.go(authorize)
    await tab.follow("Cancel")
    here = query(await tab.url())
    await tab.go(authorize)
    await tab.follow(f"Sign in with {provider}")
    await tab.follow("Cancel")
    return {"here": here, "there": query(await tab.url())}


async def other_browser(browser, authorize, provider, **_):
    """Somebody is made to end a sign-in that another one began (login CSRF)."""
    attacker, victim = [await browser.page(await browser.person()) for _ in range(2)]
    await attacker.go(authorize)
    await attacker.follow(f"Sign in with {provider}")
    # The attacker sends the victim to the page with the form, which is as good as to send the form.
    consent = await attacker.evaluate("document.forms[0].outerHTML")
    await victim.go("about:blank")
    await victim.evaluate(f"document.body.innerHTML = {json.dumps(consent)}")
    await victim.follow("Continue as")
    caught = {"heading": await victim.heading(), "url": (await victim.url()).split("?")[0],
              "status": await victim.evaluate("performance.getEntriesByType('navigation')[0].responseStatus"),
              "cookies": [cookie["name"] for cookie in await victim.cookies()]}
    # The browser that began may still end it.
    await attacker.follow("Continue as")
    return {**caught, "ended_by_its_own": "code" in query(await attacker.url())}


async def framed(browser, authorize, app, **_):
    """The page in a frame of another site, beside one that lets itself be framed."""
    shown = {}
    for name, url in [("page", authorize), ("other", neighbour(app) + "/back")]:
        tab = await browser.page(await browser.person())
        await tab.go(f"{app}/frame?url={urllib.parse.quote(url, safe='')}")
        shown[name] = {"text": await browser.framed_text(url), "complaints": tab.complaints}
    return shown


def neighbour(app):
    """Another site of the same server."""
    return app.replace("//app.", "//other.")


async def web_login(browser, site, app, **_):
    """Sign-in with cookies, a request with them, and the sign-out."""
    tab = await browser.page(await browser.person())
    await tab.go(f"{site}/api/auth/login")
    await tab.follow("Continue as")
    end = await tab.url()
    await tab.go(f"{site}/home")
    cookies = {cookie["name"]: cookie for cookie in await tab.cookies()}
    readable = await tab.evaluate("document.cookie")
    seen = await tab.evaluate("fetch('/seen').then(r => r.json())")
    me = await tab.evaluate("fetch('/api/auth/me').then(async r => ({status: r.status, body: await r.json()}))")
    # A page of another site gets nothing done with these cookies.
    await tab.go(f"{neighbour(app)}/back")
    await tab.evaluate(f"fetch({json.dumps(site)} + '/api/auth/logout', {{method: 'POST', mode: 'no-cors',"
                       " credentials: 'include'}).then(() => true, () => false)")
    await tab.go(f"{site}/home")
    still = await tab.evaluate("fetch('/api/auth/me').then(r => r.status)")
    out = await tab.evaluate("fetch('/api/auth/logout', {method: 'POST'}).then(r => r.status)")
    left = [cookie["name"] for cookie in await tab.cookies()]
    after = await tab.evaluate("fetch('/seen').then(r => r.status)")
    return {"end": end, "cookies": cookies, "readable": readable, "seen": seen, "me": me, "still": still, "out": out,
            "left": left, "after": after}


def redeem(site, code, redirect_uri, secret):
    """The tokens of a code, for `clans-server`."""
    parts = urllib.parse.urlsplit(f"{site}/oauth2/token")
    # The verifier of the example of RFC 7636 appendix B.
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "client_id": "clans-server",
            "client_secret": secret, "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
    request = urllib.request.Request(f"http://127.0.0.1:{parts.port}{parts.path}", urllib.parse.urlencode(form).encode(),
                                     {"Host": parts.netloc})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


async def posted(browser, authorize, app, secret, script="on", **_):
    """A client that has the result posted, and signs its user out by a form of its own site."""
    tab = await browser.page(await browser.person(), script=script == "on")
    await tab.go(f"{authorize}&response_mode=form_post")
    await tab.follow("Sign in with Google")
    await tab.follow("Continue as")
    if script == "off":
        await tab.follow("Continue")
    await tab.arrive(f"{app}/back")
    fields = json.loads(await tab.until("document.querySelector('#posted')?.textContent"))
    site = authorize.split("/oauth2/")[0]
    tokens = redeem(site, fields["code"], f"{app}/back", secret)
    # Browsers send no cookie with it.
    back = f"{app}/welcome"
    form = (f"<form method=post action='{site}/oauth2/logout'><input name=client_id value=clans-server>"
            f"<input name=post_logout_redirect_uri value='{back}'><button>Leave</button></form>")
    await tab.evaluate(f"document.body.innerHTML = {json.dumps(form)}")
    await tab.follow("Leave")
    question = {"heading": await tab.heading(), "url": (await tab.url()).split("?")[0]}
    await tab.follow("Sign out")
    goodbye = await tab.heading()
    await tab.arrive(back)
    told = await tab.evaluate("fetch('/told').then(response => response.json())")
    await tab.go(authorize)
    return {"fields": fields, "url": f"{app}/back", "question": question, "goodbye": goodbye, "told": told,
            "id_token": tokens["id_token"], "after": await tab.evaluate("document.body.innerText"),
            "complaints": tab.complaints}


VIRTUAL = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
           "isUserVerified": True, "automaticPresenceSimulation": True}
BUTTON = "document.querySelector('#passkey button')"


async def passkeys(browser, site, verified="yes", **_):
    """Somebody signs in by a provider, adds a passkey, signs out, and signs in with the passkey."""
    tab = await browser.page(await browser.person())
    await tab.call("WebAuthn.enable")
    options = {**VIRTUAL, "isUserVerified": verified == "yes"}
    key = (await tab.call("WebAuthn.addVirtualAuthenticator", options=options))["authenticatorId"]
    await tab.go(f"{site}/account")
    login = {"heading": await tab.heading(), "shown": await tab.evaluate(f"{BUTTON}?.checkVisibility() ?? false")}
    await tab.follow("Sign in with Google")
    await tab.follow("Continue as")
    account = {"heading": await tab.heading(), "url": await tab.url()}
    if verified != "yes":
        await tab.evaluate(f"{BUTTON}.click()")
        await tab.until("document.querySelector('#passkey [role=status]').textContent")
        made = (await tab.call("WebAuthn.getCredentials", authenticatorId=key))["credentials"]
        return {"account": account, "made": len(made)}
    async with tab.moving():
        await tab.evaluate(f"{BUTTON}.click()")
    added = {"url": await tab.url(), "text": await tab.evaluate("document.body.innerText")}
    made = (await tab.call("WebAuthn.getCredentials", authenticatorId=key))["credentials"]
    await tab.follow("Sign out")
    out = {"url": await tab.url(), "heading": await tab.heading(),
           "cookies": [cookie["name"] for cookie in await tab.cookies(site)]}
    # By what the browser suggests, once somebody is there to take it.
    await tab.call("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=key, enabled=False)
    await tab.go(f"{site}/auth/login")
    async with tab.moving():
        await tab.call("WebAuthn.setAutomaticPresenceSimulation", authenticatorId=key, enabled=True)
    suggested = await tab.url()
    await tab.go(f"{site}/account")
    await tab.follow("Sign out")
    # By the button, in a browser that suggests nothing.
    none = "if (self.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false"
    await tab.call("Page.addScriptToEvaluateOnNewDocument", source=none)
    await tab.go(f"{site}/auth/login")
    async with tab.moving():
        await tab.evaluate(f"{BUTTON}.click()")
    end = await tab.url()
    used = (await tab.call("WebAuthn.getCredentials", authenticatorId=key))["credentials"]
    await tab.go(f"{site}/account")
    back = await tab.evaluate("document.body.innerText")
    # The policy of the account page lets nothing else be asked for.
    await tab.go(f"{site}/home")
    claims = await tab.evaluate("fetch('/auth/me').then(r => r.json())")
    return {"login": login, "account": account, "added": added, "out": out, "suggested": suggested, "end": end,
            "back": back, "me": claims, "discoverable": [credential["isResidentCredential"] for credential in made],
            "count": [credential["signCount"] for credential in used], "complaints": tab.complaints}


async def account(browser, site, **_):
    """The account page on every screen, in both schemes."""
    person = await browser.person()
    tab = await browser.page(person)
    await tab.go(f"{site}/account")
    await tab.follow("Sign in with Google")
    await tab.follow("Continue as")
    shown = []
    for look in [PHONE, DESKTOP, NARROW]:
        for scheme in ["light", "dark"]:
            tab = await browser.page(person, scheme=scheme, **look)
            await tab.go(f"{site}/account")
            measured = await tab.evaluate(MEASURE)
            foreign = [url for url in tab.requests if origin(url) != site]
            shown.append({"width": look["width"], "scheme": scheme, "complaints": tab.complaints, "foreign": foreign,
                          **measured})
    names = [[role, name] for role, name in await tab.names() if role not in ["StaticText", "InlineTextBox"]]
    still = await browser.page(person, script=False)
    await still.go(f"{site}/account")
    await still.follow("Sign out")
    return {"shown": shown, "names": names, "language": await tab.evaluate("document.documentElement.lang"),
            "without_script": await still.heading()}


SCENARIOS = [page, keyboard, two_windows, cancel, other_browser, framed, web_login, posted, passkeys, account]


async def main(name, options):
    scenario, = [scenario for scenario in SCENARIOS if scenario.__name__ == name]
    async with chromium() as browser:
        return await scenario(browser, **options)


try:
    print(json.dumps(asyncio.run(main(sys.argv[1], dict(option.split("=", 1) for option in sys.argv[2:])))))
except Trouble as trouble:
    sys.exit(f"{sys.argv[1]}: {trouble}")
