"""Takes the pictures in the documents.

screenshots.py sign-in FOLDER AUTHORIZE: of the sign-in pages. AUTHORIZE is where an app sends people: the URL of an
authorization request that is good.

screenshots.py pages FOLDER COMPANY REFUSING LEADING: of the pages for people, light, dark and on a phone. COMPANY is the
origin of the demo, with the company's app below it; REFUSING one that lets nobody in whom the company's provider signs
in, LEADING one whose sign-in ends with a page.

screenshots.py dashboard FOLDER ADMIN TOKEN SITE CALLER SECONDS TENANT...: of the dashboard at the origin ADMIN, after
SECONDS of traffic to SITE, with the token CALLER, for the hosts TENANT.localtest.
"""

import asyncio
import concurrent.futures
import http.client
import math
import pathlib
import random
import sys
import time
import urllib.parse

from PIL import Image

from devtools import chromium

PHONE = {"width": 360, "height": 640, "touch": True, "scale": 2}
DESKTOP = {"width": 1024, "height": 640}


LOOKS = {
    "light": {"width": 1024, "height": 760, "scheme": "light"},
    "dark": {"width": 1024, "height": 760, "scheme": "dark"},
    "phone": {**PHONE, "height": 780, "scheme": "light"},
}


async def picture(tab, path):
    """Takes one whose names are the same each time, with few colours, which the pages have."""
    # The name of the request and the port are others each time.
    await tab.evaluate("document.querySelectorAll('p.quiet').forEach(e => "
                       "{ e.textContent = e.textContent.replace(/[0-9a-f-]{36}/, '0123456789') })")
    await tab.evaluate("document.querySelectorAll('strong').forEach(e => "
                       "{ e.textContent = e.textContent.replace(/:[0-9]+$/, ':8080') })")
    await tab.picture(path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


async def stay(tab, pattern):
    """Keeps what is shown when something leads to such a URL: there is no content there."""
    hear = tab.hear

    def hear_paused(event, parameters):
        if event == "Fetch.requestPaused":
            answering.append(asyncio.create_task(
                tab.call("Fetch.fulfillRequest", requestId=parameters["requestId"], responseCode=204)))
        else:
            hear(event, parameters)

    answering = []
    tab.hear = hear_paused
    await tab.call("Fetch.enable", patterns=[{"urlPattern": pattern}])


async def pages(folder, company, refusing, leading):
    async with chromium() as browser:
        for name, look in LOOKS.items():
            path = {kind: pathlib.Path(folder) / f"page-{kind}-{name}.png"
                    for kind in ["sign-in", "account", "delete", "not-allowed", "signed-in"]}
            tab = await browser.page(await browser.person(), **look)
            await tab.go(f"{company}/company/account")
            await tab.until("document.querySelector('#passkey:not([hidden])')")
            await picture(tab, path["sign-in"])
            await tab.follow("Sign in with Company")
            await tab.follow("Continue as")
            await tab.until("document.querySelector('#passkey:not([hidden])')")
            await tab.look(**{**look, "height": 1400})
            await picture(tab, path["account"])
            await tab.follow("Delete account")
            await tab.look(**look)
            await picture(tab, path["delete"])
            await tab.follow("Delete my account")

            tab = await browser.page(await browser.person(), **look)
            await tab.go(f"{refusing}/login")
            await tab.follow("Continue as")
            await picture(tab, path["not-allowed"])

            tab = await browser.page(await browser.person(), **look)
            await stay(tab, "*/after")
            await tab.go(f"{leading}/login")
            await tab.follow("Continue as")
            await picture(tab, path["signed-in"])
        tab = await browser.page(await browser.person(), **LOOKS["light"])
        await tab.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": "de"})
        await tab.go(f"{company}/company/account")
        await tab.until("document.querySelector('#passkey:not([hidden])')")
        await picture(tab, pathlib.Path(folder) / "page-sign-in-german.png")


async def sign_in(folder, authorize):
    unknown = authorize.replace("client_id=", "client_id=not-")
    pictures = {
        "sign-in-phone-light": (authorize, {**PHONE, "scheme": "light"}),
        "sign-in-phone-dark": (authorize, {**PHONE, "scheme": "dark"}),
        "sign-in-desktop": (authorize, DESKTOP),
        "sign-in-error": (unknown, DESKTOP),
    }
    async with chromium() as browser:
        for name, (url, look) in pictures.items():
            tab = await browser.page(await browser.person(), **look)
            await tab.go(url)
            await picture(tab, pathlib.Path(folder) / f"{name}.png")


def traffic(site, caller, seconds, tenants, lane):
    """Requests one after the other, most of them good, more of them in the middle of each half minute."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(site).netloc, timeout=30)
    begun = time.monotonic()
    while (passed := time.monotonic() - begun) < seconds:
        host = random.choices(tenants, range(len(tenants), 0, -1))[0]
        token, path = random.choices(
            [(caller, "/things"), (caller, "/admin/jobs"), (None, "/things"), ("of-nobody", "/things")],
            [95, 2, 2, 1])[0]
        fields = {"Host": f"{host}.localtest"}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        connection.request("GET", path, headers=fields)
        connection.getresponse().read()
        time.sleep(0.06 * (1.6 + math.sin(passed / 5 + lane / 3)) * random.random())


async def dashboard(folder, admin, token, site, caller, seconds, *tenants):
    pictures = {
        "dashboard-desktop": {"width": 1200, "height": 860, "scheme": "light"},
        "dashboard-phone-dark": {**PHONE, "height": 740, "scheme": "dark"},
    }
    lanes = 8
    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        running = [pool.submit(traffic, site, caller, float(seconds), tenants, lane) for lane in range(lanes)]
        async with chromium() as browser:
            tabs = {}
            for name, look in pictures.items():
                tab = tabs[name] = await browser.page(await browser.person(), **look)
                await tab.go(admin)
                await tab.type(token)
                await tab.press("Enter")
            for lane in running:
                await asyncio.wrap_future(lane)
            for name, tab in tabs.items():
                await tab.until("document.querySelector('#traffic path.area')?.getAttribute('d')")
                await tab.picture(pathlib.Path(folder) / f"{name}.png")
            # Among so few requests there may be none that is refused.
            refused = http.client.HTTPConnection(urllib.parse.urlsplit(site).netloc, timeout=30)
            refused.request("GET", "/admin/jobs", headers={"Host": f"{tenants[0]}.localtest"})
            refused.getresponse().read()
            tab = tabs["dashboard-desktop"]
            await tab.evaluate("location.hash = 'refused'")
            await tab.until("document.querySelector('#refused-list summary')")
            await tab.evaluate("document.querySelector('#refused-list summary').click()")
            await tab.until("document.querySelector('#refused-list .steps li')")
            await tab.picture(pathlib.Path(folder) / "dashboard-refusals.png")


PICTURES = {"sign-in": sign_in, "pages": pages, "dashboard": dashboard}

asyncio.run(PICTURES[sys.argv[1]](*sys.argv[2:]))
