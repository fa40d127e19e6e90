#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layout: how wide a page is in Chromium on a phone and on a desk, by light and by dark, and
what of it is wider than the screen without scrolling within itself.

    layout.py BROWSER PAGE.html [PAGE.pdf]

A line each: WIDTH SCHEME "fits" or what does not; the PDF is the page on paper."""
import base64
import json
import os
import subprocess
import sys
import tempfile

SCREENS = [390, 1100]
WIDER = """(() => {
    const wide = [];
    for (const e of document.querySelectorAll('main, main *'))
        if (e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.wide, pre'))
            wide.push(e.tagName);
    if (document.documentElement.scrollWidth > innerWidth) wide.push('page');
    return wide.slice(0, 5).join(' ') + '';
})()"""


class Browser:
    """Chromium, told what to do through a pipe."""

    def __init__(self, program, profile):
        self.to_read, to_write = os.pipe()
        from_read, self.from_write = os.pipe()
        reader, writer = os.dup(self.to_read), os.dup(self.from_write)

        def descriptors():
            os.dup2(reader, 103)
            os.dup2(writer, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.out, self.into = to_write, from_read
        self.rest, self.count, self.session = b"", 0, None
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + profile],
            preexec_fn=descriptors, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(self.from_write)
        os.close(writer)

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                sys.exit("layout: the browser has ended")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self.receive()
            if reply.get("id") == self.count:
                if "error" in reply:
                    sys.exit("layout: %s: %s" % (method, reply["error"]))
                return reply["result"]

    def open(self, page):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.navigate", url="file://" + os.path.abspath(page))
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"]["value"]


def main():
    program, page = sys.argv[1:3]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            browser.open(page)
            for width in SCREENS:
                for scheme in "light", "dark":
                    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844,
                                 deviceScaleFactor=1, mobile=width < 500)
                    browser.call("Emulation.setEmulatedMedia", media="",
                                 features=[{"name": "prefers-color-scheme", "value": scheme}])
                    background = browser.value("getComputedStyle(document.body).backgroundColor")
                    print(width, scheme, background.replace(" ", ""), browser.value(WIDER) or "fits")
            if len(sys.argv) > 3:
                browser.call("Emulation.clearDeviceMetricsOverride")
                data = browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]
                with open(sys.argv[3], "wb") as out:
                    out.write(base64.b64decode(data))
        finally:
            browser.process.terminate()
            browser.process.wait()


main()
