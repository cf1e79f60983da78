"""Takes the pictures of the sign-in pages: screenshots.py AUTHORIZE FOLDER.

AUTHORIZE is where an app sends people: the URL of an authorization request that is good.
"""

import asyncio
import pathlib
import sys

from devtools import chromium

PHONE = {"width": 360, "height": 640, "touch": True, "scale": 2}
DESKTOP = {"width": 1024, "height": 640}


async def main(authorize, folder):
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
            # The name of the request is another one each time.
            await tab.evaluate("document.querySelectorAll('p.quiet').forEach(p => "
                               "{ if (p.textContent.startsWith('Request:')) p.textContent = 'Request: 0123456789' })")
            await tab.picture(pathlib.Path(folder) / f"{name}.png")


asyncio.run(main(*sys.argv[1:]))
