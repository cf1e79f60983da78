"""A browser without scripts, and the person in front of it, who agrees to everything."""

import html.parser
import socket
import time
import urllib.parse

import requests

MOST_STEPS = 12
look_up = socket.getaddrinfo


def look_up_here(host, *arguments, **options):
    return look_up("127.0.0.1" if str(host).endswith(".localtest") else host, *arguments, **options)


socket.getaddrinfo = look_up_here


class Session(requests.Session):
    """Trusts one authority, follows no redirect by itself, and waits where it is told to come back later."""

    def __init__(self, ca):
        super().__init__()
        self.verify, self.trust_env = ca, False
        # Whether cookies for https alone are sent by http, too.
        self.is_lax = False

    def request(self, method, url, **options):
        options = {"timeout": 30, **options, "allow_redirects": False}
        while True:
            response = super().request(method, url, **options)
            for cookie in self.cookies if self.is_lax else []:
                cookie.secure = False
            if response.status_code != 429:
                return response
            time.sleep(int(response.headers["Retry-After"]))


class Document(html.parser.HTMLParser):
    """What a person can use on a page."""

    def __init__(self, response):
        super().__init__()
        self.links, self.forms, self.frames, self.refresh = {}, [], [], None
        self._link, self._form, self._text = None, None, ""
        self.feed(response.text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a":
            self._link = attributes.get("href")
        elif tag == "form":
            self._form = {"method": attributes.get("method", "get").lower(), "action": attributes.get("action", ""),
                          "fields": [], "text": ""}
            self.forms.append(self._form)
        elif tag == "input" and self._form is not None and attributes.get("name"):
            self._form["fields"].append((attributes["name"], attributes.get("value") or ""))
        elif tag == "iframe":
            self.frames.append(attributes.get("src", ""))
        elif tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            self.refresh = attributes.get("content", "").partition("=")[2].strip("'\" ")
        if tag in ["a", "button"]:
            self._text = ""

    def handle_data(self, text):
        self._text += text

    def handle_endtag(self, tag):
        if tag == "a":
            self.links[self._text.strip()] = self._link
        elif tag == "button" and self._form is not None:
            self._form["text"] += self._text
        elif tag == "form":
            self._form = None


class Answer:
    """Where an authorization request has led to."""

    def __init__(self, kind, pairs=(), response=None, asked=False):
        # "query", "fragment", "form_post", "sign_in" (the page that asks how), or "page" (any other).
        self.kind, self.url = kind, None
        self.pairs, self.response, self.asked = list(pairs), response, asked

    @property
    def parameters(self):
        return dict(self.pairs)

    @property
    def description(self):
        title = self.response.text.partition("<title>")[2].partition("</title>")[0]
        return f"a page of {urllib.parse.urlsplit(self.response.url).path}: {self.response.status_code} {title}"

    @property
    def reaches_client(self):
        return self.kind in ["query", "fragment", "form_post"]


class Person:
    def __init__(self, ca, provider):
        self.session = Session(ca)
        self.provider = provider

    def authorize(self, endpoint, parameters, method="GET", signs_in=True):
        """Goes to the authorization endpoint and on, up to the response for the client.

        Parameter signs_in: Whether the person goes further than a page that asks how to sign in.
        """
        where = {"data": parameters} if method == "POST" else {"params": parameters}
        response = self.session.request(method, endpoint, **where)
        return self.follow(response, parameters.get("redirect_uri", ""), signs_in)

    def follow(self, response, back, signs_in=True):
        """Goes on from a response, up to the one for the client at `back`."""
        asked = False
        for _ in range(MOST_STEPS):
            if response.status_code in [302, 303, 307]:
                location = urllib.parse.urljoin(response.url, response.headers["Location"])
                if self._leads(location, back):
                    return self._redirected(location, response, asked)
                response = self.session.get(location)
                continue
            if response.status_code != 200:
                return Answer("page", response=response, asked=asked)
            page = Document(response)
            form = next((form for form in page.forms if self._leads(form["action"], back)), None)
            if form is not None:
                return Answer("form_post", form["fields"], response, asked)
            # At the provider, or where somebody is signed in already.
            form = next((form for form in page.forms if "Continue" in form["text"]), None)
            if form is not None and signs_in:
                response = self._submit(form, response)
                continue
            link = page.links.get(f"Sign in with {self.provider}")
            if link is None:
                return Answer("page", response=response, asked=asked)
            if not signs_in:
                return Answer("sign_in", response=response)
            asked = True
            response = self.session.get(urllib.parse.urljoin(response.url, link))
        raise RuntimeError("the sign-in goes round in circles")

    def log_out(self, endpoint, parameters, back):
        """Goes to the logout endpoint, loads the frames of its page, and confirms where it is asked.

        Returns the last response, the URL that it leads back to (or None), and the frames' URLs.
        """
        response, frames = self.session.get(endpoint, params=parameters), []
        for _ in range(MOST_STEPS):
            if response.status_code in [302, 303]:
                location = urllib.parse.urljoin(response.url, response.headers["Location"])
                if self._leads(location, back):
                    return response, location, frames
                response = self.session.get(location)
                continue
            page = Document(response)
            frames += page.frames
            for frame in page.frames:
                self.session.get(frame)
            onward = [page.refresh, *page.links.values()]
            location = next((url for url in onward if url and self._leads(url, back)), None)
            return response, location, frames
        raise RuntimeError("the sign-out goes round in circles")

    def _submit(self, form, response):
        action = urllib.parse.urljoin(response.url, form["action"])
        if form["method"] == "post":
            return self.session.post(action, data=form["fields"])
        return self.session.get(action, params=form["fields"])

    @staticmethod
    def _leads(url, back):
        """Whether a URL is that of the client, whatever its query and fragment."""
        own, other = urllib.parse.urlsplit(back), urllib.parse.urlsplit(url)
        return bool(back) and own[:3] == other[:3]

    @staticmethod
    def _redirected(location, response, asked):
        url = urllib.parse.urlsplit(location)
        kind, text = ("fragment", url.fragment) if url.fragment else ("query", url.query)
        answer = Answer(kind, urllib.parse.parse_qsl(text, keep_blank_values=True), response, asked)
        answer.url = location
        return answer
