"""What the site needs beside the pages in docs: those of the project that they link to, and headings' names as on forges."""

import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "loadtest/README.md"]
# The source has no address that a site could lead to.
LINK = re.compile(r"(!?)\[([^\]]*)\]\(\s*([^)\s#]*)(#[^)\s]*)?\s*\)")
FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def slug(text, separator):
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files, config):
    for page in PAGES:
        if (ROOT / page).exists():
            files.append(File.generated(config, f"project/{page}", abs_src_path=str(ROOT / page)))
    return files


def source(page):
    """The file in the project that a page was made from."""
    return ROOT / page.removeprefix("project/") if page.startswith("project/") else ROOT / "docs" / page


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    folder = source(here).parent

    def moved(link):
        image, text, path, anchor = link.groups()
        if not path or re.match(r"[a-z]+:", path):
            return link.group()
        target = (folder / path).resolve()
        if target.is_relative_to(ROOT / "docs"):
            name = str(target.relative_to(ROOT / "docs"))
        else:
            name = f"project/{target.relative_to(ROOT)}"
        if files.get_file_from_path(name) is None:
            return f"{text} (`{target.relative_to(ROOT)}`)" if f"`{target.name}`" != text else f"`{target.relative_to(ROOT)}`"
        up = "../" * here.count("/")
        return f"{image}[{text}]({up}{name}{anchor or ''})"

    parts = FENCE.split(markdown)
    return "".join(plain(part) if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def plain(block):
    """Without the second word after a fence, which tells the project's checks what the block is."""
    return re.sub(r"^```(\w+) .*$", r"```\1", block, count=1, flags=re.MULTILINE)
