"""A page that calls an app behind a gateway, in Chromium: cross_origin.py KEY=VALUE...

`page` is the page's URL, `site` the app's origin, `token` what its cookie `session` holds. Prints one line of JSON: the
result of each call that the page has made.
"""

import asyncio
import json
import sys

from devtools import Trouble, chromium

CALLS = """(async (site, token) => {
    const call = (path, options) => fetch(site + path, options).then(async answer => ({
        status: answer.status, total: answer.headers.get('X-Total'), hidden: answer.headers.get('X-Hidden'),
        challenge: answer.headers.get('WWW-Authenticate'), ...await answer.json(),
    }), trouble => ({trouble: trouble.name}));
    const socket = () => new Promise(told => {
        const socket = new WebSocket(site.replace('http', 'ws') + '/socket');
        socket.onmessage = message => told({user: message.data});
        socket.onerror = () => told({trouble: 'closed'});
    });
    return {
        simple: await call('/open/simple'),
        refused: await call('/refused'),
        cookie: await call('/cookie', {credentials: 'include'}),
        asked: await call('/asked', {method: 'PUT', headers: {Authorization: 'Bearer ' + token, 'X-Own': '1'}}),
        posted: await call('/posted', {method: 'POST', body: 'text', credentials: 'include'}),
        blind: await fetch(site + '/blind', {method: 'POST', body: 'text', credentials: 'include', mode: 'no-cors'})
            .then(answer => answer.type, trouble => trouble.name),
        socket: await socket(),
    };
})"""

FORM = """(site => {
    const form = Object.assign(document.createElement('form'), {method: 'POST', action: site + '/form'});
    document.body.append(form);
    form.submit();
})"""


async def main(page, site, token):
    async with chromium() as browser:
        tab = await browser.page()
        await tab.call("Network.setCookie", name="session", value=token, url=site, httpOnly=True, sameSite="Lax")
        await tab.go(page)
        told = await tab.evaluate(f"{CALLS}({json.dumps(site)}, {json.dumps(token)})")
        async with tab.moving():
            await tab.evaluate(f"{FORM}({json.dumps(site)})")
        told["form"] = json.loads(await tab.evaluate("document.body.innerText"))
        await tab.go(f"{site}/open/page")
        told["seen"] = await tab.evaluate("fetch('/open/seen').then(answer => answer.json())")
        return told


try:
    print(json.dumps(asyncio.run(main(**dict(option.split("=", 1) for option in sys.argv[1:])))))
except Trouble as trouble:
    sys.exit(str(trouble))
