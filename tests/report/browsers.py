"""Chromium and Firefox, with the same few things that tests ask of a browser beside WebDriver's commands.

Selenium drives Firefox through geckodriver, which neither Debian nor PyPI has. Here it speaks to Marionette
itself, the server inside Firefox that geckodriver speaks to: the commands have other names, and travel as JSON
with its length before it.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.file_detector import UselessFileDetector

SIZE = (1280, 900)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PORT = "MarionetteActivePort"  # the file in the profile that says which port it took
PREFERENCES = {
    "app.normandy.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "marionette.port": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
}
NAMES = {
    "newSession": "WebDriver:NewSession",
    "get": "WebDriver:Navigate",
    "goBack": "WebDriver:Back",
    "getCurrentUrl": "WebDriver:GetCurrentURL",
    "getTitle": "WebDriver:GetTitle",
    "findElement": "WebDriver:FindElement",
    "findElements": "WebDriver:FindElements",
    "findChildElement": "WebDriver:FindElement",
    "findChildElements": "WebDriver:FindElements",
    "clickElement": "WebDriver:ElementClick",
    "clearElement": "WebDriver:ElementClear",
    "sendKeysToElement": "WebDriver:ElementSendKeys",
    "getElementText": "WebDriver:GetElementText",
    "getElementAttribute": "WebDriver:GetElementAttribute",
    "getElementValueOfCssProperty": "WebDriver:GetElementCSSValue",
    "getElementTagName": "WebDriver:GetElementTagName",
    "isElementSelected": "WebDriver:IsElementSelected",
    "isElementEnabled": "WebDriver:IsElementEnabled",
    "w3cGetActiveElement": "WebDriver:GetActiveElement",
    "w3cExecuteScript": "WebDriver:ExecuteScript",
    "w3cExecuteScriptAsync": "WebDriver:ExecuteAsyncScript",
    "setTimeouts": "WebDriver:SetTimeouts",
    "printPage": "WebDriver:Print",
    "screenshot": "WebDriver:TakeScreenshot",
    "context": "Marionette:SetContext",
    "quit": "Marionette:Quit",
}


class Waiting(webdriver.Remote):
    """A browser whose pages are complete, their deferred scripts run, when a command returns.

    On a busy machine a driver may say so while the page still loads.
    """

    def get(self, url: str) -> None:
        left, address = self.current_url, url.partition("#")[0]
        if elsewhere := left.partition("#")[0] != address or left == url:
            self.execute_script("window.isLeft = true")
        super().get(url)
        if elsewhere:
            self._wait("!window.isLeft")

    def back(self) -> None:
        left = self.current_url
        super().back()
        self._wait(f"location.href !== {json.dumps(left)}")

    def _wait(self, arrived: str) -> None:
        """Wait for a condition in JavaScript and a complete page; the limit is for what never happens."""
        end = time.monotonic() + 60
        while not self.execute_script(f"return {arrived} && document.readyState === 'complete'"):
            if time.monotonic() > end:
                raise WebDriverException(f"the page does not load: {self.current_url}")
            time.sleep(0.02)


class Chromium(Waiting, webdriver.Chrome):
    """Headless Chromium."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*FLAGS.split(), f"--window-size={SIZE[0]},{SIZE[1]}", f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(options=options, service=Service(CHROMEDRIVER))

    def resize(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def show_as(self, medium: str) -> None:
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium})

    def allow_scripts(self, allowed: bool) -> None:
        self.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})

    def restore(self) -> None:
        """Undo what was emulated."""
        self.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        self.allow_scripts(True)

    def complaints(self) -> list[str]:
        """Errors of pages in its console since the last call, and whatever else they log there."""
        return [entry["message"] for entry in self.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that pages asked hosts for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.get_log("performance")]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [address for address in asked if address.startswith(("http", "ws"))]


class Marionette:
    """What Selenium hands its commands to, in the place of a connection to a driver."""

    def __init__(self, profile: Path) -> None:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        command = [str(FIREFOX), "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        self._process = subprocess.Popen(
            [*command, "--profile", str(profile)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 120
        while not (message := self._port_text(profile)):
            if self._process.poll() is not None or time.monotonic() > end:
                self._process.kill()
                raise WebDriverException("Firefox did not start")
            time.sleep(0.1)
        self._socket = socket.create_connection(("127.0.0.1", int(message)), timeout=300)
        self._stream = self._socket.makefile("rb")
        self._read()  # it greets
        self._count = 0

    @staticmethod
    def _port_text(profile: Path) -> str:
        path = profile / PORT
        return path.read_text("utf-8").strip() if path.is_file() else ""

    def _read(self) -> Any:
        length = b""
        while (digit := self._stream.read(1)) != b":":
            if not digit:
                raise WebDriverException("Firefox ended")
            length += digit
        return json.loads(self._stream.read(int(length)))

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in params.items() if name != "sessionId"}
        if command.startswith("findChild"):
            given["element"] = given.pop("id")
        if command == "newSession":
            given = {"capabilities": {}}
        self._count += 1
        message = json.dumps([0, self._count, NAMES[command], given]).encode("utf-8")
        self._socket.sendall(str(len(message)).encode("ascii") + b":" + message)
        _, _, error, found = self._read()
        if error:
            raise WebDriverException(f"{error['error']}: {error['message']}")
        single = isinstance(found, dict) and set(found) == {"value"}
        return {"value": found["value"] if single else found}

    def close(self) -> None:
        self._stream.close()
        self._socket.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Firefox(Waiting):
    """Headless Firefox."""

    def __init__(self, profile: Path) -> None:
        super().__init__(command_executor=Marionette(profile), options=webdriver.FirefoxOptions())  # type: ignore[arg-type]
        self.file_detector = UselessFileDetector()  # it reads this machine's files: nothing is uploaded
        self._inside(
            """gBrowser.asked = [];
            Services.obs.addObserver({ observe(channel) {
              channel.QueryInterface(Ci.nsIHttpChannel);
              if (channel.loadInfo.browsingContextID) gBrowser.asked.push(channel.URI.spec);
            } }, "http-on-modify-request");"""
        )
        self.resize(*SIZE)

    def _inside(self, script: str, *given: Any) -> Any:
        """Run a script in the browser itself, not in the page; ``page`` is the page's browsing context."""
        self.execute("context", {"value": "chrome"})
        try:
            return self.execute_script(
                f"const tab = gBrowser.selectedBrowser, page = tab.browsingContext;{script}", *given
            )
        finally:
            self.execute("context", {"value": "content"})

    def resize(self, width: int, height: int) -> None:
        self._inside(
            """for (const [name, value] of [["width", arguments[0]], ["height", arguments[1]]])
              for (const edge of ["min-", "max-"]) tab.style.setProperty(edge + name, value + "px")""",
            width,
            height,
        )
        end = time.monotonic() + 30
        while self.execute_script("return [innerWidth, innerHeight]") != [width, height]:
            if time.monotonic() > end:
                raise WebDriverException("the window does not take its size")
            time.sleep(0.02)

    def prefer(self, scheme: str) -> None:
        self._inside("page.prefersColorSchemeOverride = arguments[0]", scheme)

    def show_as(self, medium: str) -> None:
        self._inside("page.mediumOverride = arguments[0]", medium)

    def allow_scripts(self, allowed: bool) -> None:
        self._inside("page.allowJavascript = arguments[0]", allowed)

    def restore(self) -> None:
        """Undo what was emulated."""
        self._inside(
            'page.prefersColorSchemeOverride = "none"; page.mediumOverride = ""; page.allowJavascript = true'
        )
        self.resize(*SIZE)

    def complaints(self) -> list[str]:
        """Errors of pages in its console since the last call."""
        return self._inside(
            """const of = /^(file|data|about:blank)/;
            const found = Services.console.getMessageArray()
              .filter((one) => one instanceof Ci.nsIScriptError && of.test(one.sourceName)).map(String);
            Services.console.reset();
            return found;"""
        )

    def requests(self) -> list[str]:
        """Addresses that pages asked hosts for since the last call."""
        return self._inside("return gBrowser.asked.splice(0)")
