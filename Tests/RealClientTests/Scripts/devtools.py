"""Chromium without a window, spoken to by its DevTools protocol over a pipe: when this program ends, so does it."""

import asyncio
import base64
import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import tempfile

PROGRAM = "/usr/bin/chromium"
# Seconds after which something that a page should do is not awaited any more.
PATIENCE = 30
ARGUMENTS = [
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-sync", "--disable-gpu", "--hide-scrollbars",
    "--font-render-hinting=none", "--force-color-profile=srgb", "--lang=en",
    # Every name of the tests is this machine, and no other name is looked up.
    "--host-resolver-rules=MAP *.localtest 127.0.0.1, MAP * ~NOTFOUND, "
    # Browsers know these names by themselves.
    "EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
    # Certificates of the tests are nobody's else. http is meant where it is said.
    "--ignore-certificate-errors", "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
    # Its sandbox needs more than every machine for tests gives; no page but those of the tests is shown.
    "--no-sandbox",
]
KEYS = {"Tab": ("\t", 9), "Enter": ("\r", 13), "ArrowDown": ("", 40)}


class Trouble(Exception):
    """What DevTools refused, or what did not happen."""


class Gone(Trouble):
    """The browser has ended by itself."""


class Chromium:
    """A browser with a profile of its own that is thrown away with it."""

    def __init__(self, reader, pipe):
        self._reader = reader
        self._pipe = pipe
        self._numbers = itertools.count(1)
        self._answers = {}
        self._pages = {}

    async def call(self, method, session=None, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        coming = self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            self._pipe.write(json.dumps(message).encode() + b"\0")
            answer = await asyncio.wait_for(coming, PATIENCE)
        except asyncio.TimeoutError:
            raise Trouble(f"{method}: no answer") from None
        except BrokenPipeError:
            raise Gone from None
        finally:
            del self._answers[number]
        if "error" in answer:
            raise Trouble(f"{method}: {answer['error']}")
        return answer["result"]

    async def listen(self):
        with contextlib.suppress(asyncio.IncompleteReadError):
            while message := json.loads((await self._reader.readuntil(b"\0"))[:-1]):
                if "id" in message:
                    if answer := self._answers.get(message["id"]):
                        answer.set_result(message)
                elif page := self._pages.get(message.get("sessionId")):
                    page.hear(message["method"], message["params"])
        for answer in self._answers.values():
            answer.set_exception(Gone())

    async def person(self):
        """Another browser, as far as cookies go."""
        return (await self.call("Target.createBrowserContext"))["browserContextId"]

    async def page(self, person=None, **look):
        """A new tab; see `Page.look`."""
        context = {"browserContextId": person} if person else {}
        page = await self._attach((await self.call("Target.createTarget", url="about:blank", **context))["targetId"])
        for domain in ["Page", "Network", "Log", "Runtime", "DOM", "Accessibility"]:
            await page.call(f"{domain}.enable")
        await page.look(**look)
        return page

    async def framed_text(self, url):
        """What is to be read in a frame of another site that was sent there, in whatever tab it is."""
        targets = (await self.call("Target.getTargets", filter=[{"type": "iframe"}]))["targetInfos"]
        frame, = [target["targetId"] for target in targets if target["url"] == url]
        return await (await self._attach(frame)).evaluate("document.body.innerText")

    async def _attach(self, target):
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session)
        return page


class Page:
    def __init__(self, browser, session):
        self._browser = browser
        self._session = session
        self._loaded = asyncio.Event()
        # URLs that were asked for.
        self.requests = []
        # What a developer sees in the console: refused resources, mistakes, complaints of policies.
        self.complaints = []

    async def call(self, method, **parameters):
        return await self._browser.call(method, self._session, **parameters)

    def hear(self, event, parameters):
        match event:
            case "Page.loadEventFired":
                self._loaded.set()
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Log.entryAdded":
                self.complaints.append(parameters["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(parameters["exceptionDetails"]["text"])
            case "Runtime.consoleAPICalled":
                self.complaints += [str(argument.get("value")) for argument in parameters["args"]]

    async def look(self, width=1280, height=800, touch=False, scheme="light", script=True, scale=1, calm=False):
        """The screen that the page is shown on, the scheme that its user likes, and whether without motion, and whether
        there is JavaScript."""
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                        mobile=touch)
        await self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        await self.call("Emulation.setEmulatedMedia",
                        features=[{"name": "prefers-color-scheme", "value": scheme},
                                  {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}])
        await self.call("Emulation.setScriptExecutionDisabled", value=not script)

    async def go(self, url):
        async with self.moving():
            moved = await self.call("Page.navigate", url=url)
            if error := moved.get("errorText"):
                raise Trouble(f"{url}: {error}")

    @contextlib.asynccontextmanager
    async def moving(self):
        """Waits for the page that what is done inside leads to."""
        self._loaded.clear()
        yield
        try:
            await asyncio.wait_for(self._loaded.wait(), PATIENCE)
        except asyncio.TimeoutError:
            raise Trouble(f"no page came; asked for: {self.requests[-3:]}") from None

    async def arrive(self, url):
        """Waits until a page has led on to a URL by itself, whatever its query."""
        while True:
            self._loaded.clear()
            # The page that was asked may have gone meanwhile.
            with contextlib.suppress(Trouble):
                if (await self.url()).split("?")[0] == url:
                    return
            try:
                await asyncio.wait_for(self._loaded.wait(), PATIENCE)
            except asyncio.TimeoutError:
                raise Trouble(f"no page led to {url}; asked for: {self.requests[-3:]}") from None

    async def press(self, key):
        text, code = KEYS[key]
        event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    async def type(self, text):
        """Into what has the focus."""
        await self.call("Input.insertText", text=text)

    async def until(self, script):
        """Waits until a JavaScript expression is true of the page, which is looked at whenever it changes."""
        return await self.evaluate(f"""new Promise((done, fail) => {{
            const look = () => {{
                const value = {script};
                if (!value) return;
                watch.disconnect();
                done(value);
            }};
            const watch = new MutationObserver(look);
            watch.observe(document, {{subtree: true, childList: true, characterData: true, attributes: true}});
            look();
            setTimeout(() => fail(new Error('it did not come to it: ' + document.body.innerText)), {PATIENCE - 5}000);
        }})""")

    async def evaluate(self, script):
        """The value of a JavaScript expression, whether the page itself may run any or not."""
        result = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Trouble(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def url(self):
        return await self.evaluate("location.href")

    async def heading(self):
        return await self.evaluate("document.querySelector('h1')?.textContent ?? ''")

    async def follow(self, text):
        """Clicks on what is called that."""
        place = await self.evaluate(f"""(() => {{
            const found = [...document.querySelectorAll('a, button')]
                .find(e => e.textContent.includes({json.dumps(text)}));
            if (!found) return null;
            const {{x, y, width, height}} = found.getBoundingClientRect();
            return {{x: x + width / 2, y: y + height / 2}};
        }})()""")
        if not place:
            shown = await self.evaluate("document.body.innerText")
            raise Trouble(f"nothing is called {text!r} on {await self.url()}: {shown}")
        async with self.moving():
            for event in ["mousePressed", "mouseReleased"]:
                await self.call("Input.dispatchMouseEvent", type=event, button="left", clickCount=1, **place)

    async def names(self):
        """The accessibility tree, as a screen reader walks it: role and name, without what is passed over."""
        nodes = (await self.call("Accessibility.getFullAXTree"))["nodes"]
        shown = [node for node in nodes if not node["ignored"]]
        return [[node["role"]["value"], node.get("name", {}).get("value", "")] for node in shown]

    async def cookies(self, url=None):
        """Those that are sent to a URL; without one, to where the page came from."""
        return (await self.call("Network.getCookies", **({"urls": [url]} if url else {})))["cookies"]

    async def picture(self, path):
        image = await self.call("Page.captureScreenshot", format="png", optimizeForSpeed=False)
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))


@contextlib.asynccontextmanager
async def chromium():
    """Starts one, and ends it."""
    if not os.access(PROGRAM, os.X_OK):
        raise SystemExit(f"{PROGRAM} is missing: install the Debian package chromium")
    # It takes orders on file descriptor 3 and answers on 4.
    (orders, to_it), (from_it, answers) = os.pipe(), os.pipe()
    spare = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (orders, answers)]

    def connect():
        os.dup2(spare[0], 3)
        os.dup2(spare[1], 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, *ARGUMENTS, f"--user-data-dir={profile}", "about:blank", preexec_fn=connect, pass_fds=(3, 4),
            stdin=asyncio.subprocess.DEVNULL, stdout=said, stderr=said)
        for descriptor in [orders, answers, *spare]:
            os.close(descriptor)
        reader = asyncio.StreamReader(limit=1 << 26)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_it, "rb"))
        browser = Chromium(reader, os.fdopen(to_it, "wb", buffering=0))
        listening = asyncio.create_task(browser.listen())
        try:
            yield browser
        except Gone:
            # It complains of many things that do no harm: only in the end are they of interest.
            said.seek(0)
            raise Trouble(f"Chromium is gone: {said.read()[-2000:].decode(errors='replace')}") from None
        finally:
            with contextlib.suppress(Trouble):
                await browser.call("Browser.close")
            try:
                await asyncio.wait_for(process.wait(), 5)
            except asyncio.TimeoutError:
                process.kill()
                await process.wait()
            listening.cancel()
