"""Makes the moving picture of the demo's start page: animation.py FILE START

START is the origin of the page. The file is an animated WebP.
"""

import asyncio
import base64
import io
import pathlib
import sys
import time

from devtools import chromium
from PIL import Image

SCREEN = {"width": 1040, "height": 820, "scheme": "light"}
# Actions with the seconds for which their result stays.
STORY = [("call_without_token", 2.5), ("call", 2), ("expire", 3), ("revoke", 3.5)]
# Between two pictures, in seconds.
STEP = 0.12
WIDTH = 860
# Bytes that a page of the documents may load for it.
MOST_BYTES = 600_000


class Film:
    def __init__(self, tab):
        self._tab = tab
        self._pictures = []
        # Seconds for which each is shown.
        self._times = []

    async def shoot(self):
        shot = await self._tab.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)
        picture = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
        if self._pictures and picture.tobytes() == self._pictures[-1].tobytes():
            self.stay(STEP)
        else:
            self._pictures.append(picture)
            self._times.append(STEP)

    def stay(self, seconds):
        """The last picture is shown for longer."""
        self._times[-1] += seconds

    def write(self, path):
        """As many pictures as fit into the size that a page may load."""
        while (size := self._save(path)) > MOST_BYTES:
            if len(self._pictures) < 2 * len(STORY):
                sys.exit(f"animation: {path} has {size} bytes, more than {MOST_BYTES}")
            self._thin()
        print(f"animation: {path}, {len(self._pictures)} pictures, {size} bytes")

    def _save(self, path):
        milliseconds = [round(1000 * seconds) for seconds in self._times]
        self._pictures[0].save(path, save_all=True, append_images=self._pictures[1:], duration=milliseconds, loop=0,
                               quality=70, method=4, minimize_size=True)
        return pathlib.Path(path).stat().st_size

    def _thin(self):
        """Leaves out every other one of those that are shown for a moment only."""
        pictures, times, leaves_out = [], [], False
        for picture, seconds in zip(self._pictures, self._times):
            leaves_out = not leaves_out and bool(pictures) and seconds < 4 * STEP
            if leaves_out:
                times[-1] += seconds
            else:
                pictures.append(picture)
                times.append(seconds)
        self._pictures, self._times = pictures, times


async def play(path, start):
    async with chromium() as browser:
        tab = await browser.page(await browser.person(), **SCREEN)
        await tab.go(start)
        await tab.until("document.querySelector('#actions button')")
        film = Film(tab)
        await film.shoot()
        film.stay(1)
        for action, seconds in STORY:
            await tab.evaluate(f"(document.querySelector('[data-action={action}]').click(), true)")
            while True:
                begun = time.monotonic()
                await film.shoot()
                if await tab.evaluate("document.getElementById('trace').dataset.done ?? ''"):
                    break
                await asyncio.sleep(max(0, STEP - (time.monotonic() - begun)))
            # What is still moving when the last step is there.
            for _ in range(6):
                await asyncio.sleep(STEP)
                await film.shoot()
            film.stay(seconds)
        film.write(path)


asyncio.run(play(*sys.argv[1:]))
