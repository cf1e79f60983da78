"""Whoever tries the demo, at its start page in Chromium: demo.py SCENARIO start=ORIGIN...

`start` is the origin of the page, of which the apps' hosts are subdomains. Prints one line of JSON.
"""

import asyncio
import json
import sys

from devtools import Trouble, chromium
from looks import FOCUSED, MEASURE, NARROW, PHONE

WIDE = {"width": 1440, "height": 900}
DONE = "document.getElementById('trace').dataset.done"
VERDICT = "document.getElementById('status').textContent"
ACTIONS = ["sign_in", "call", "call_without_token", "expire", "revoke", "signal", "flood"]


async def enter(browser, start, **look):
    """Opens the page, on which nothing moves."""
    tab = await browser.page(await browser.person(), **{"calm": True, **look})
    await tab.go(start)
    await tab.until("document.querySelector('#actions button')")
    return tab


async def press(tab, action):
    """Presses a button with the mouse and waits for the end: what a screen reader is told, and what is shown."""
    await tab.evaluate(f"(document.querySelector('[data-action={action}]').click(), true)")
    await tab.until(f"{DONE} && !document.querySelector('[data-running]')")
    return {"verdict": await tab.evaluate(VERDICT), "shown": await tab.evaluate("document.getElementById('trace').innerText"),
            "phase": await tab.evaluate("document.getElementById('route').dataset.phase")}


async def reach(tab, what, steps=40):
    """Goes on by the Tab key until what a JavaScript expression names has the focus."""
    for _ in range(steps):
        await tab.press("Tab")
        if await tab.evaluate(f"document.activeElement === {what}"):
            return
    raise Trouble(f"no key leads to {what}")


async def looks(browser, start):
    """The page with answers of each kind on every screen, in both schemes."""
    shown = []
    for look, scheme in [(PHONE, "light"), (NARROW, "light"), (NARROW, "dark"), (WIDE, "light"), (WIDE, "dark")]:
        tab = await enter(browser, start, scheme=scheme, **look)
        pages = {"begin": await tab.evaluate(MEASURE)}
        # A refusal, a refresh, and counts.
        for action in ["call_without_token", "expire", "flood"]:
            await press(tab, action)
            pages[action] = await tab.evaluate(MEASURE)
        shown += [{"width": look["width"], "scheme": scheme, "view": view, **page} for view, page in pages.items()]
        outside = [url for url in tab.requests if not url.startswith((start + "/", "data:"))]
        if tab.complaints or outside:
            raise Trouble(f"{tab.complaints} {outside}")
    return {"shown": shown}


async def buttons(browser, start):
    """Every button, for an app whose tokens are refreshed."""
    tab = await enter(browser, start, **WIDE)
    done = {action: await press(tab, action) for action in ACTIONS}
    chip = await tab.evaluate("document.getElementById('token').textContent")
    return {**done, "chip": chip, "complaints": tab.complaints}


async def keyboard(browser, start):
    """Another app is chosen, called and its curl line copied, by keys alone."""
    tab = await enter(browser, start, **WIDE)
    await reach(tab, "document.querySelector('#apps input:checked')")
    for _ in range(3):
        await tab.press("ArrowDown")
    app = await tab.until("document.getElementById('app-name').textContent === 'chat' && 'chat'")
    ring = await tab.evaluate("getComputedStyle(document.querySelector('.choice:has(:focus)')).outlineStyle")
    await reach(tab, "document.querySelector('[data-action=call_without_token]')")
    focused = await tab.evaluate(FOCUSED)
    await tab.press("Enter")
    await tab.until(DONE)
    verdict = await tab.evaluate(VERDICT)
    kept = await tab.evaluate("document.activeElement.dataset.action")
    await reach(tab, "document.querySelector('.curl button')")
    await tab.press("Enter")
    copied = await tab.until("document.querySelector('.curl button').textContent === 'Copied' && 'Copied'")
    curl = await tab.evaluate("document.querySelector('.curl code').textContent")
    return {"app": app, "ring": ring, "focused": focused, "verdict": verdict, "kept": kept, "copied": copied, "curl": curl,
            "complaints": tab.complaints}


async def steps(browser, start):
    """With motion, what happens is shown one after the other."""
    tab = await enter(browser, start, calm=False, **WIDE)
    await tab.evaluate("""(() => {
        window.seen = [];
        new MutationObserver(() => seen.push(document.getElementById('trace').children.length))
            .observe(document.getElementById('trace'), { childList: true });
        document.querySelector('[data-action=call]').click();
    })()""")
    await tab.until(DONE)
    return {"seen": await tab.evaluate("seen"), "complaints": tab.complaints}


async def names(browser, start):
    """What a screen reader is told, without mere text."""
    tab = await enter(browser, start, **WIDE)
    await press(tab, "call")
    pairs = [pair for pair in await tab.names() if pair[0] not in ["StaticText", "InlineTextBox"]]
    return {"pairs": pairs, "language": await tab.evaluate("document.documentElement.lang")}


async def chat(browser, start):
    """The chat app's own sign-in in the browser, from its page to the provider's and back."""
    home = start.replace("localhost", "chat.localhost") + "/"
    tab = await browser.page(await browser.person(), **PHONE)
    await tab.go(home)
    before = await tab.heading()
    await tab.follow("Sign in")
    provider = await tab.heading()
    await tab.follow("Continue as")
    url, after = await tab.url(), await tab.heading()
    text = await tab.evaluate("document.body.innerText")
    await tab.follow("Sign out")
    await tab.until("document.querySelector('h1').textContent.includes('Nobody')")
    return {"before": before, "provider": provider, "home": home, "url": url, "after": after, "text": text}


SCENARIOS = [looks, buttons, keyboard, steps, names, chat]


async def main(name, options):
    scenario, = [scenario for scenario in SCENARIOS if scenario.__name__ == name]
    async with chromium() as browser:
        return await scenario(browser, **options)


try:
    print(json.dumps(asyncio.run(main(sys.argv[1], dict(option.split("=", 1) for option in sys.argv[2:])))))
except Trouble as trouble:
    sys.exit(f"{sys.argv[1]}: {trouble}")
