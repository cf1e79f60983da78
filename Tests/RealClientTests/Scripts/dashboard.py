"""Whoever runs a gateway, at its dashboard in Chromium: dashboard.py SCENARIO KEY=VALUE...

`admin` is the origin of the admin listener and `token` its token, `site` the origin of the tenants' listener. `caller` is
a token of the tenant `shop`, `google` an ID token that `clans` takes. Prints one line of JSON.
"""

import asyncio
import base64
import json
import sys
import urllib.error
import urllib.request

from devtools import Trouble, chromium
from looks import DESKTOP, FOCUSED, MEASURE, NARROW, PHONE

VIEWS = ["overview", "refused", "tenant", "edit", "health", "revocations", "sessions", "explain"]
TEXT = "document.getElementById({}).textContent"


async def call(site, host, path, token=None, body=None):
    """A request of an app's client: status and answer."""
    fields = {"Host": host, "Content-Type": "application/json"}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(site + path, body and json.dumps(body).encode(), fields)

    def ask():
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read()

    return await asyncio.to_thread(ask)


async def shop(site, token=None):
    """What a client of the shop gets: the code of a refusal, or else the status."""
    status, answer = await call(site, "shop.localtest", "/things", token)
    return status if status == 200 else json.loads(answer)["code"]


async def enter(tab, admin, token, view="overview"):
    """Opens the page and gives it the token, by keys alone."""
    # Another URL than that of the page that may be there, so that it is loaded anew.
    await tab.go(f"{admin}/?#{view}")
    await tab.until("document.activeElement?.id === 'token'")
    await tab.type(token)
    await tab.press("Enter")
    await tab.until("document.getElementById('link').dataset.state === 'good'")


async def reach(tab, what, steps=80):
    """Goes on by the Tab key until what a JavaScript expression names has the focus; all on the way show that they have."""
    for _ in range(steps):
        await tab.press("Tab")
        focused = await tab.evaluate(FOCUSED)
        if focused and not focused["visible"]:
            raise Trouble(f"the focus is not to be seen: {focused}")
        if await tab.evaluate(f"document.activeElement === {what}"):
            return
    raise Trouble(f"no key leads to {what}")


def outside(tab, admin):
    return [url for url in tab.requests if not url.startswith((admin + "/", "data:"))]


async def looks(browser, admin, token, **_):
    """Every view on every screen, in both schemes."""
    shown = []
    for look, scheme in [(PHONE, "light"), (PHONE, "dark"), (DESKTOP, "light"), (DESKTOP, "dark"), (NARROW, "dark")]:
        tab = await browser.page(await browser.person(), scheme=scheme, **look)
        await tab.go(admin)
        pages = {"lock": await tab.evaluate(MEASURE)}
        await enter(tab, admin, token)
        for view in VIEWS:
            await tab.evaluate(f"location.hash = '{view}'")
            await tab.until(f"!document.querySelector('[data-view={view}]').hidden")
            pages[view] = await tab.evaluate(MEASURE)
        shown += [{"width": look["width"], "scheme": scheme, "view": view, **page} for view, page in pages.items()]
        if tab.complaints or outside(tab, admin):
            raise Trouble(f"{tab.complaints} {outside(tab, admin)}")
    return {"shown": shown}


SPREAD = """(() => {
    const cards = [...document.querySelectorAll('#main .card')].filter(card => card.checkVisibility());
    const edges = cards.map(card => card.getBoundingClientRect());
    return {
        wide: document.documentElement.scrollWidth > innerWidth,
        used: (Math.max(...edges.map(({ right }) => right)) - Math.min(...edges.map(({ left }) => left))) / innerWidth,
        // What reaches into the margin of its card.
        over: cards.flatMap(card => {
            const end = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight);
            return [...card.querySelectorAll('*')].filter(e => e.checkVisibility() && !e.closest('svg, thead, .unseen')
                && e.getBoundingClientRect().right > end + 0.5).map(e => e.outerHTML.slice(0, 120));
        }),
    };
})()"""


async def widths(browser, admin, token, site, **_):
    """Every view with something in it, from the smallest screen to a desk's."""
    await call(site, "shop.localtest", "/admin/" + "a-long-path-without-a-gap" * 8)
    shown = []
    for width in [320, 768, 1440]:
        tab = await browser.page(await browser.person(), width=width, height=900)
        await enter(tab, admin, token)
        for view in VIEWS:
            await tab.evaluate(f"location.hash = '{view}'")
            await tab.until(f"!document.querySelector('[data-view={view}]').hidden")
            if view == "refused":
                await tab.until("document.querySelector('#refused-list summary')")
                await tab.evaluate("document.querySelector('#refused-list summary').click()")
                await tab.until("document.querySelector('#refused-list .steps li')")
            if view == "tenant":
                await tab.until("document.querySelector('#rules tbody tr')")
            shown.append({"width": width, "view": view, **await tab.evaluate(SPREAD)})
    return {"shown": shown}


async def refused(browser, admin, token, site, caller, **_):
    """What was refused, why, and what would become of it with a token: by keys alone."""
    await call(site, "shop.localtest", "/things?secret=in-the-query", "not-a-token")
    await call(site, "shop.localtest", "/admin/%3Cimg%20src=x%3E?secret=in-the-query")
    await call(site, "nobody.localtest", "/")
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    await reach(tab, "document.querySelector('nav a[href=\"#refused\"]')")
    await tab.press("Enter")
    await tab.until("document.querySelectorAll('#refused-list > li').length === 3")
    rows = await tab.evaluate("""[...document.querySelectorAll('#refused-list summary')].map(row => row.innerText)""")
    await reach(tab, "document.getElementById('refused-pause')")
    await tab.press("Enter")
    await call(site, "shop.localtest", "/more")
    for _ in range(2):
        # Another report has come, and nothing has moved.
        uptime = await tab.evaluate(TEXT.format("'uptime'"))
        await tab.until(f"document.getElementById('uptime').textContent !== {json.dumps(uptime)}")
    paused = await tab.evaluate("document.querySelectorAll('#refused-list > li').length")
    await tab.press("Enter")
    await tab.until("document.querySelectorAll('#refused-list > li').length === 4")
    after = await tab.evaluate("document.querySelectorAll('#refused-list > li').length")
    await reach(tab, "document.querySelectorAll('#refused-list summary')[2]")
    await tab.press("Enter")
    await tab.until("document.querySelector('#refused-list .steps li')")
    why = await tab.evaluate("document.querySelector('#refused-list [open] .why').innerText")
    leaked = await tab.evaluate("document.getElementById('refused-list').outerHTML.includes('in-the-query')")
    await reach(tab, "document.querySelector('#refused-list [open] button')")
    await tab.press("Enter")
    await tab.until("document.activeElement?.id === 'explain-title'")
    form = await tab.evaluate("""['tenant', 'method', 'path', 'address']
        .map(name => document.getElementById('ask').elements[name].value)""")
    await tab.evaluate("location.hash = 'refused'")
    await tab.evaluate("""(() => {
        const select = document.getElementById('refused-tenant');
        select.value = 'clans';
        select.dispatchEvent(new Event('change'));
    })()""")
    await tab.until("document.getElementById('refused-note').textContent !== ''")
    return {"rows": rows, "paused": paused, "after": after, "why": why, "leaked": leaked, "form": form,
            "clans": await tab.evaluate("[...document.querySelectorAll('#refused-list summary')].map(r => r.innerText)"),
            "images": await tab.evaluate("document.images.length"), "complaints": tab.complaints}


async def rules(browser, admin, token, site, caller, **_):
    """The rules of a tenant with their use."""
    for _ in range(3):
        await call(site, "shop.localtest", "/admin/things")
    await shop(site, caller)
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    await reach(tab, "document.querySelector('#tenants a')")
    await tab.press("Enter")
    await tab.until("document.activeElement?.id === 'tenant-title'")
    rows = await tab.until("""document.querySelectorAll('#rules tbody tr').length === 3
        && [...document.querySelectorAll('#rules tbody tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())""")
    found = {"title": await tab.evaluate("document.activeElement.textContent"), "rows": rows,
             "note": await tab.evaluate(TEXT.format("'rules-note'")),
             "refusals": await tab.evaluate("document.querySelector('#tenant-refusals').innerText.replace(/\\s+/g, ' ')")}
    # Another tenant, by keys: the focus stays where it was.
    await reach(tab, "document.getElementById('tenant-name')")
    await tab.press("ArrowDown")
    other = await tab.until("/no rules/.test(document.getElementById('rules-note').textContent)"
                            " && document.getElementById('rules-note').textContent")
    keys = await tab.until("""document.querySelectorAll('#signing-keys tbody tr').length > 0
        && [...document.querySelectorAll('#signing-keys tbody tr')].map(row => row.children[1].innerText)""")
    return {**found, "other": other, "keys": keys, "kept": await tab.evaluate("document.activeElement.id"),
            "complaints": tab.complaints}


ROWS = """[...document.querySelectorAll('{} tbody tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())"""


async def many(browser, admin, token, site, **_):
    """One of many tenants, by its name."""
    for _ in range(2):
        await call(site, "more-239.localtest", "/api/things")
    # With a request each, a hundred others are before the one that is looked for.
    for number in range(120):
        for _ in range(3):
            await call(site, f"more-{number}.localtest", "/things")
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    note = await tab.until("document.getElementById('tenants-note').textContent")
    size = await tab.evaluate("document.querySelectorAll('*').length")
    rows = await tab.evaluate("document.querySelectorAll('#tenants tbody tr').length")
    await reach(tab, "document.getElementById('tenant-search')", steps=400)
    await tab.type("more-239")
    await tab.until("document.getElementById('tenants-note').textContent === '1 found.'")
    found = await tab.evaluate("[...document.querySelectorAll('#tenants tbody button')].map(button => button.textContent)")
    await tab.evaluate("document.querySelector('#tenants tbody button').click()")
    tile = await tab.until("""[...document.querySelectorAll('#tiles li')]
        .find(tile => /Requests[^]*2 since/.test(tile.innerText))?.innerText""")
    await tab.evaluate("document.querySelector('#tenants tbody a').click()")
    routes = await tab.until("document.querySelectorAll('#routes tbody tr').length === 3 && " + ROWS.format("#routes"))
    backends = await tab.evaluate(ROWS.format("#backends"))
    # Another one, by the last entry of the list.
    await tab.evaluate("""(() => {
        const list = document.getElementById('tenant-name');
        list.selectedIndex = list.options.length - 1;
        list.dispatchEvent(new Event('change', { bubbles: true }));
    })()""")
    await tab.until("document.activeElement?.id === 'find-tenant-name'")
    await tab.type("MORE-117")
    await tab.until("document.querySelectorAll('#found-tenants button').length === 1")
    await tab.evaluate("document.querySelector('#found-tenants button').click()")
    await tab.until("location.hash === '#tenant/more-117' && /more-117/.test(document.getElementById('tenant-facts').innerText)")
    return {"rows": rows, "note": note, "elements": size, "found": found, "tile": tile, "routes": routes, "backends": backends,
            "chosen": await tab.evaluate("document.getElementById('tenant-name').value"), "complaints": tab.complaints}


async def reloads(browser, admin, token, **_):
    """A reload that is refused, and one that is in force."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token, "health")
    start = await tab.until("document.getElementById('reloads-note').textContent")
    certificates = await tab.until("document.getElementById('certificates-note').textContent")
    last = "document.querySelector('#reloads > li')"
    told = {}
    for result in ["refused", "applied"]:
        await tab.until("!document.getElementById('reload').disabled")
        await tab.evaluate("document.getElementById('reload').click()")
        await tab.until(f"{last}?.innerText.includes('{result}')")
        # One mistake needs no more room.
        if result == "applied":
            await tab.evaluate(f"{last}.querySelector('summary').click()")
        told[result] = await tab.evaluate(f"{last}.innerText")
    # The browser complains of the refused reload.
    return {"start": start, "certificates": certificates, **told,
            "complaints": [complaint for complaint in tab.complaints if "422" not in complaint]}


PUT = """fetch('api/tenants/bakery', {{ method: 'PUT', body: {}, headers: {{
    Authorization: 'Bearer ' + {}, 'Content-Type': 'application/yaml', 'If-Match': {} }} }}).then(answer => answer.status)"""


LEVELS = """(() => {
    const text = document.getElementById('edit-text').getBoundingClientRect();
    const items = [...document.querySelectorAll('#edit-mistakes li')].map(item => item.getBoundingClientRect());
    return { first: Math.round(items[0].top - text.top), overlap: items.some((item, index) => index && item.top < items[index - 1].bottom),
        below: items.every(item => item.top >= text.bottom) };
})()"""


async def edit(browser, admin, token, site, **_):
    """A tenant is written by keys alone: with a mistake, after another has changed it, and as it was before."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    await reach(tab, "document.querySelector('a.more[href=\"#edit\"]')")
    await tab.press("Enter")
    await tab.until("document.activeElement?.id === 'edit-title'")
    await reach(tab, "document.getElementById('edit-name')")
    await tab.type("bakery")
    await reach(tab, "document.getElementById('edit-text')")
    text = (f"hosts: [bakery.localtest]\nbackend: {{ server: ['{site}'] }}\nauthenticate:\n  issuers: [{{ issuer: i, audiences: [a],"
            " algorithms: [HS256], secret: 0123456789abcdef0123456789abcdef }]\n")
    await tab.type(text)
    await reach(tab, "document.querySelector('#edit .primary')")
    await tab.press("Enter")
    # The first says what is missing, the second what is there instead.
    mistake = await tab.until("document.querySelectorAll('#edit-mistakes button')[1]?.innerText")
    marked = await tab.evaluate("[...document.querySelectorAll('#edit-gutter [data-state=bad]')].map(li => li.textContent)")
    # Each at the height of its line, or below the one before it; on a phone below the text.
    levels = await tab.evaluate(LEVELS)
    await tab.look(**PHONE)
    narrow = await tab.evaluate(LEVELS)
    await tab.look(**DESKTOP)
    # To the place of the mistake, and written over.
    await reach(tab, "document.querySelectorAll('#edit-mistakes button')[1]")
    await tab.press("Enter")
    place = await tab.evaluate("""(() => {
        const { selectionStart, selectionEnd, value } = document.activeElement;
        return value.slice(selectionStart, selectionEnd);
    })()""")
    await tab.type(f"servers: ['{site}'] }}")
    await reach(tab, "document.querySelector('#edit .primary')")
    await tab.press("Enter")
    saved = await tab.until("/^Saved/.test(document.getElementById('news').textContent)"
                            " && document.getElementById('news').textContent")
    await tab.until("document.querySelectorAll('#edit-versions tbody tr').length === 1")
    shown = await tab.evaluate("document.getElementById('edit-text').value")
    # Another changes it.
    etag = "(await (await fetch('api/tenants/bakery', { headers: { Authorization: 'Bearer ' + %s } })).json()).etag" % json.dumps(token)
    theirs = shown.replace("bakery.localtest", "bread.localtest")
    status = await tab.evaluate(f"(async () => {PUT.format(json.dumps(theirs), json.dumps(token), etag)})()")
    await reach(tab, "document.getElementById('edit-text')")
    await tab.type("mode: observe\n")
    await reach(tab, "document.querySelector('#edit .primary')")
    await tab.press("Enter")
    lines = await tab.until("""!document.getElementById('edit-conflict').hidden
        && [...document.querySelectorAll('#edit-difference li[data-mark] code')].map(code => code.textContent)""")
    await reach(tab, "document.getElementById('edit-mine')")
    await tab.press("Enter")
    await tab.until("document.querySelectorAll('#edit-versions tbody tr').length === 3")
    # Back to the first.
    await reach(tab, "document.querySelectorAll('#edit-versions tbody tr')[2].querySelectorAll('button')[1]")
    await tab.press("Enter")
    await tab.until("document.getElementById('confirm').open")
    await reach(tab, "document.getElementById('confirm-yes')", steps=3)
    await tab.press("Enter")
    await tab.until("document.querySelectorAll('#edit-versions tbody tr').length === 4")
    back = await tab.evaluate("document.getElementById('edit-text').value")
    return {"levels": levels, "narrow": narrow, "mistake": mistake, "marked": marked, "place": place, "saved": saved, "secret": "0123456789abcdef" in shown,
            "status": status, "lines": lines, "back": back == shown,
            # The browser complains of the refused writes.
            "complaints": [complaint for complaint in tab.complaints if "400" not in complaint and "412" not in complaint]}


async def names(browser, admin, token, **_):
    """What a screen reader announces in each view, without plain text."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    told = {}
    await tab.go(admin)
    told["lock"] = await tab.names()
    await enter(tab, admin, token)
    for view in VIEWS:
        await tab.evaluate(f"location.hash = '{view}'")
        await tab.until(f"!document.querySelector('[data-view={view}]').hidden")
        if view == "tenant":
            await tab.until("document.querySelector('#rules tbody tr')")
        told[view] = await tab.names()
    return {"language": await tab.evaluate("document.documentElement.lang"), **{
        view: [pair for pair in pairs if pair[0] not in ["StaticText", "InlineTextBox"]]
        for view, pairs in told.items()
    }}


async def prompt(browser, admin, token, **_):
    """The token is asked for, kept in the tab and forgotten."""
    person = await browser.person()
    tab = await browser.page(person)
    await tab.go(admin)
    asked = [url for url in tab.requests if "/api/" in url]
    await tab.type("not the token")
    await tab.press("Enter")
    refused = await tab.until(TEXT.format("'lock-error'"))
    hidden = await tab.evaluate("document.getElementById('dashboard').hidden")
    await enter(tab, admin, token)
    # As long as the tab is open, and in no other one.
    await tab.go(f"{admin}/?again")
    await tab.until("document.getElementById('link').dataset.state === 'good'")
    other = await browser.page(person)
    await other.go(admin)
    await other.until("document.activeElement?.id === 'token'")
    await tab.evaluate("document.getElementById('leave').click()")
    return {"asked": asked, "refused": refused, "hidden": hidden,
            "locked": await tab.evaluate("!document.getElementById('lock').hidden && sessionStorage.length === 0"),
            "urls": [url for url in tab.requests if token in url]}


async def traffic(browser, admin, token, site, caller, **_):
    """Numbers move with what clients do."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    before = await tab.evaluate("document.querySelector('#tiles li').innerText")
    for bearer in [caller] * 9 + [None] * 4 + ["nonsense"] * 2:
        await shop(site, bearer)
    tile = await tab.until("""[...document.querySelectorAll('#tiles li')]
        .find(tile => /Requests[^]*[1-9][^]*15 since/.test(tile.innerText))?.innerText""")
    refusals = await tab.until("""document.getElementById('refusals').innerText.includes('missing token')
        && [...document.querySelectorAll('#refusals li')].map(row => row.innerText.replace('\\n', ' '))""")
    row = await tab.evaluate("""[...document.querySelectorAll('#tenants tbody tr')]
        .find(row => row.innerText.startsWith('shop')).innerText""")
    drawn = await tab.until("document.querySelector('#traffic path.area')?.getAttribute('d')")
    latency = await tab.evaluate("document.querySelector('#latency svg').getAttribute('aria-label')")
    # Only one tenant: nothing is shown of the other.
    await tab.evaluate("[...document.querySelectorAll('#tenants button')].find(b => b.textContent === 'clans').click()")
    other = await tab.evaluate("document.getElementById('refusals').innerText")
    await tab.evaluate("location.hash = 'health'")
    server = await tab.until("""[...document.querySelectorAll('#servers tbody tr')].map(row => row.innerText)
        .find(text => /\\b9\\b/.test(text))""")
    return {"before": before, "tile": tile, "refusals": refusals, "row": row, "drawn": drawn, "latency": latency,
            "other": other, "server": server, "complaints": tab.complaints, "outside": outside(tab, admin)}


async def keyboard(browser, admin, token, site, caller, **_):
    """A token is revoked, and let in again, by keys alone."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    before = await shop(site, caller)
    await reach(tab, "document.querySelector('nav a[href=\"#revocations\"]')")
    await tab.press("Enter")
    await tab.until("document.activeElement?.id === 'revocations-title'")
    await reach(tab, "document.getElementById('revoke-value')")
    await tab.type(caller)
    await reach(tab, "document.getElementById('revoke-reason')")
    await tab.type("<img src=x onerror=alert(1)>")
    await reach(tab, "document.querySelector('#revoke button')")
    await tab.press("Enter")
    news = await tab.until(TEXT.format("'news'"))
    after = await shop(site, caller)
    row = await tab.until("document.querySelector('#revocations-table tbody tr')?.innerText")
    await reach(tab, "document.querySelector('#revocations-table button')")
    await tab.press("Enter")
    await tab.until("document.getElementById('confirm').open")
    # Pressing a key without reading cancels.
    safe = await tab.evaluate("document.activeElement.textContent")
    await reach(tab, "document.getElementById('confirm-yes')", steps=3)
    await tab.press("Enter")
    await tab.until("document.getElementById('news').textContent.startsWith('Taken back')")
    again = await shop(site, caller)
    return {"before": before, "news": news, "after": after, "row": row, "safe": safe, "again": again,
            "images": await tab.evaluate("document.images.length"), "complaints": tab.complaints,
            "kept": await tab.evaluate("document.getElementById('revoke-value').value")}


async def explain(browser, admin, token, caller, **_):
    """What would become of a request."""
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token, "explain")
    told = {}
    for name, bearer in [("nobody", ""), ("caller", caller)]:
        await tab.evaluate(f"""(() => {{
            const form = document.getElementById('ask');
            form.elements.tenant.value = 'shop';
            form.elements.path.value = '/things';
            form.elements.token.value = {json.dumps(bearer)};
            document.getElementById('steps').replaceChildren();
            form.requestSubmit();
        }})()""")
        await tab.until("document.querySelector('#steps li')")
        told[name] = {"verdict": await tab.evaluate(TEXT.format("'verdict'")),
                      "steps": await tab.evaluate("document.getElementById('steps').innerText")}
    await tab.evaluate("(document.getElementById('ask').elements.path.value = 'no path',"
                       " document.getElementById('ask').requestSubmit())")
    mistake = await tab.until("document.querySelector('#ask .error').textContent")
    return {**told, "mistake": mistake, "leaked": caller.split(".")[1] in json.dumps(told)}


async def sessions(browser, admin, token, site, google, **_):
    """A session is found and ended."""
    _, answer = await call(site, "clans.localtest", "/auth/google", body={"id_token": google})
    access = json.loads(answer)["access_token"]
    payload = access.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    before, _ = await call(site, "clans.localtest", "/things", access)
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token, "sessions")
    await tab.evaluate(f"""(() => {{
        const form = document.getElementById('find-sessions');
        form.elements.id.value = {json.dumps(claims["sub"])};
        form.requestSubmit();
    }})()""")
    row = await tab.until("document.querySelector('#sessions-table tbody tr')?.innerText")
    await tab.evaluate("document.querySelector('#sessions-table tbody button').click()")
    await tab.until("document.getElementById('confirm').open")
    await tab.evaluate("document.getElementById('confirm-yes').click()")
    news = await tab.until("/^Ended/.test(document.getElementById('news').textContent)"
                           " && document.getElementById('news').textContent")
    status, answer = await call(site, "clans.localtest", "/things", access)
    return {"before": before, "row": row, "session": claims["sid"], "news": news, "after": json.loads(answer)["code"],
            "left": await tab.evaluate("document.getElementById('sessions-note').textContent"),
            "complaints": tab.complaints}


async def lock(browser, admin, token, site, caller, google, **_):
    """What is left of all views when the page is locked: of what was shown and typed, and of a late response."""
    _, answer = await call(site, "clans.localtest", "/auth/google", body={"id_token": google})
    payload = json.loads(answer)["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    await shop(site)
    tab = await browser.page(await browser.person(), **DESKTOP)
    await enter(tab, admin, token)
    for view, form, fields, seen in [
        ("refused", None, {}, "#refused-list li"),
        ("tenant", None, {}, "#rules tbody tr"),
        ("health", None, {}, "#servers tbody tr"),
        ("sessions", "find-sessions", {"id": claims["sub"]}, "#sessions-table tbody tr"),
        ("explain", "ask", {"tenant": "shop", "path": "/things", "token": caller}, "#steps li"),
        ("revocations", "revoke", {"tenant": "shop", "value": caller, "reason": "a reason"},
         "#revocations-table tbody tr"),
        # Typed, and not sent.
        ("revocations", "revoke", {"value": caller, "for": "77m"}, None),
        # Typed, and not saved.
        ("edit", "edit", {"name": "a-name-of-mine", "text": "a text of mine"}, None),
        ("overview", None, {}, "#tenants tbody tr"),
    ]:
        await tab.evaluate(f"location.hash = '{view}'")
        await tab.until(f"!document.querySelector('[data-view={view}]').hidden")
        for name, value in fields.items():
            await tab.evaluate(f"document.getElementById('{form}').elements['{name}'].value = {json.dumps(value)}")
        if form and seen:
            await tab.evaluate(f"document.getElementById('{form}').requestSubmit()")
        if seen:
            await tab.until(f"document.querySelector('{seen}')?.innerText")
    secrets = [caller, "the-callers", claims["sub"], claims["sid"], "a reason", "77m", "a-name-of-mine", "a text of mine",
               "shop", "clans"]
    page = """[document.getElementById('dashboard').outerHTML, document.getElementById('confirm').outerHTML,
        ...[...document.querySelectorAll('input, select, textarea')].map(field => field.value)].join('\\n')"""
    before = await tab.evaluate(page)
    # The answer to this comes when nobody is to see it.
    await tab.evaluate("(document.getElementById('ask').requestSubmit(), document.getElementById('leave').click())")
    await tab.until("!document.querySelector('#ask button').disabled")
    after = await tab.evaluate(page)
    rows = await tab.evaluate("""document.querySelectorAll(`#dashboard tbody tr, #dashboard dd, #dashboard ol li,
        #dashboard figure path, #tiles li, .bars li, .entries li, #alerts *`).length""")
    await tab.type(token)
    await tab.press("Enter")
    again = await tab.until("document.querySelector('#tenants tbody tr')?.innerText")
    return {"unseen": [secret for secret in secrets if secret not in before],
            "left": [secret for secret in secrets if secret in after], "rows": rows, "again": again,
            "complaints": tab.complaints}


async def scheme(browser, admin, token, **_):
    """The switch wins over what the system likes, and is remembered."""
    tab = await browser.page(await browser.person(), scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    await enter(tab, admin, token)
    colors = [await tab.evaluate(ground)]
    for _ in range(2):
        await tab.evaluate("document.getElementById('scheme').click()")
        colors.append(await tab.evaluate(ground))
    await tab.evaluate("document.getElementById('scheme').click()")
    await tab.evaluate("document.getElementById('scheme').click()")
    await tab.go(f"{admin}/?again")
    colors.append(await tab.evaluate(ground))
    return {"colors": colors}


SCENARIOS = [looks, widths, refused, rules, many, reloads, edit, names, prompt, traffic, keyboard, explain, sessions, lock, scheme]


async def main(name, options):
    scenario, = [scenario for scenario in SCENARIOS if scenario.__name__ == name]
    async with chromium() as browser:
        return await scenario(browser, **options)


try:
    print(json.dumps(asyncio.run(main(sys.argv[1], dict(option.split("=", 1) for option in sys.argv[2:])))))
except Trouble as trouble:
    sys.exit(f"{sys.argv[1]}: {trouble}")
