"""The screens that pages are shown on, and what is measured of a page there."""

PHONE = {"width": 360, "height": 740, "touch": True}
DESKTOP = {"width": 1280, "height": 800}
# The smallest screen that pages have to be read on without scrolling sideways (WCAG 2.2 success criterion 1.4.10).
NARROW = {"width": 320, "height": 640, "touch": True}

# Contrast as in WCAG 2.2, "relative luminance" and "contrast ratio".
MEASURE = """(() => {
    const channels = color => color.match(/[\\d.]+/g).map(Number);
    const luminance = color => {
        const [r, g, b] = channels(color).slice(0, 3).map(value => value / 255)
            .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const behind = element => {
        for (let e = element; e; e = e.parentElement) {
            const color = getComputedStyle(e).backgroundColor;
            const [, , , alpha = 1] = channels(color);
            if (alpha === 1) return color;
            if (alpha > 0) throw new Error('a background lets through what is behind it');
        }
        return 'rgb(255, 255, 255)';
    };
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || !element.checkVisibility()) continue;
        texts.push([contrast(getComputedStyle(element).color, behind(element)), node.textContent.trim()]);
    }
    texts.sort((one, other) => one[0] - other[0]);
    const links = [...document.querySelectorAll('a, button, input:not([type=radio]), select, textarea')]
        .filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect());
    return {
        texts: texts.length, contrast: texts[0][0], faintest: texts[0][1],
        background: behind(document.body),
        smallest_target: Math.min(...links.map(r => Math.min(r.width, r.height)), 1000),
        wide: document.documentElement.scrollWidth > innerWidth,
    };
})()"""

FOCUSED = """(() => {
    const e = document.activeElement, style = getComputedStyle(e);
    return e === document.body ? null : {
        text: e.textContent, visible: e.matches(':focus-visible') && style.outlineStyle !== 'none'
            && parseFloat(style.outlineWidth) >= 2,
    };
})()"""
