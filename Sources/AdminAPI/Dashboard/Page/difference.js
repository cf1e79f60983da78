/** Above this many pairs of lines, what lies between the first and the last difference is shown as changed. */
const MOST_PAIRS = 4_000_000;

/**
 * The lines of two texts: `{ mark, text }`, the mark being "-" for one of the old text alone, "+" for one of the new
 * alone, and " " for one of both.
 */
function difference(before, after) {
    const [old, now] = [before.split("\n"), after.split("\n")];
    let start = 0;
    while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
    let end = 0;
    while (end < old.length - start && end < now.length - start
        && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
    const same = lines => lines.map(text => ({ mark: " ", text }));
    return [
        ...same(old.slice(0, start)),
        ...changed(old.slice(start, old.length - end), now.slice(start, now.length - end)),
        ...same(old.slice(old.length - end)),
    ];
}

/** By the longest common subsequence. */
function changed(old, now) {
    const marked = (mark, lines) => lines.map(text => ({ mark, text }));
    if (!old.length || !now.length || old.length * now.length > MOST_PAIRS) {
        return [...marked("-", old), ...marked("+", now)];
    }
    const width = now.length + 1;
    const lengths = new Uint32Array((old.length + 1) * width);
    for (let i = old.length - 1; i >= 0; i -= 1) {
        for (let j = now.length - 1; j >= 0; j -= 1) {
            lengths[i * width + j] = old[i] === now[j] ? lengths[(i + 1) * width + j + 1] + 1
                : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
        }
    }
    const lines = [];
    let [i, j] = [0, 0];
    while (i < old.length && j < now.length) {
        if (old[i] === now[j]) {
            lines.push({ mark: " ", text: old[i] });
            [i, j] = [i + 1, j + 1];
        } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
            lines.push({ mark: "-", text: old[i] });
            i += 1;
        } else {
            lines.push({ mark: "+", text: now[j] });
            j += 1;
        }
    }
    return [...lines, ...marked("-", old.slice(i)), ...marked("+", now.slice(j))];
}

/** Shows the lines that differ, with three around them. */
function showDifference(list, before, after) {
    const lines = difference(before, after);
    const near = lines.map((_, index) => lines.slice(Math.max(0, index - 3), index + 4).some(({ mark }) => mark !== " "));
    const items = [];
    lines.forEach(({ mark, text }, index) => {
        if (near[index]) {
            const words = { "-": "only before: ", "+": "only after: ", " ": "" }[mark];
            items.push(element("li", { "data-mark": mark === " " ? null : mark },
                element("span", { class: "unseen" }, words), element("code", {}, `${mark} ${text}`)));
        } else if (near[index - 1]) {
            items.push(element("li", {}, element("code", {}, "…")));
        }
    });
    list.replaceChildren(...items);
    return items.length > 0;
}
