// Data from the gateway is inserted as text only, never as HTML.

const byId = id => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; children that are text stay text. */
function element(name, attributes = {}, ...children) {
    return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
    made.append(...children);
    return made;
}

/** Changes only what differs, so that nothing is drawn or read out again without a change. */
function setAttribute(of, name, value) {
    if (value === null || value === false) of.removeAttribute(name);
    else if (of.getAttribute(name) !== String(value)) of.setAttribute(name, value);
}

function setText(of, text) {
    if (of.textContent !== String(text)) of.textContent = text;
}

/**
 * Updates the children of `list` to match `items`, reusing elements by key, so that the focus is kept. `make(item)`
 * returns a new element, `update(element, item)` sets its content.
 */
function keyed(list, items, key, make, update) {
    const kept = new Map([...list.children].map(child => [child.dataset.key, child]));
    let next = list.firstElementChild;
    for (const item of items) {
        const name = String(key(item));
        let child = kept.get(name);
        kept.delete(name);
        if (!child) {
            child = make(item);
            child.dataset.key = name;
        }
        if (child === next) next = next.nextElementSibling;
        else list.insertBefore(child, next);
        update(child, item);
    }
    for (const child of kept.values()) child.remove();
}

/**
 * A table that reuses its rows by key. On a narrow screen rows become cards; the explicit roles keep it a table for
 * screen readers.
 */
class Table {
    #table;
    #columns;
    #body;
    #key;

    /** `columns`: `{ title, cell(td, item), number?, hidden? }`; the first is the row's heading. */
    constructor(table, columns, key) {
        this.#table = table;
        this.#columns = columns;
        this.#key = key;
        this.#body = element("tbody", { role: "rowgroup" });
        const heads = columns.map(column => element("th", {
            role: "columnheader", scope: "col", class: column.number ? "number" : null,
        }, element("span", { class: column.hidden ? "unseen" : null }, column.title)));
        table.replaceChildren(
            element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)), this.#body);
    }

    /** Hides a table without rows. */
    show(items) {
        this.#table.hidden = !items.length;
        keyed(this.#body, items, this.#key, () => this.#row(), (row, item) => {
            this.#columns.forEach((column, index) => column.cell(row.children[index], item));
        });
    }

    #row() {
        return element("tr", { role: "row" }, ...this.#columns.map((column, index) => element(index ? "td" : "th", {
            role: index ? "cell" : "rowheader", scope: index ? null : "row", class: column.number ? "number" : null,
            "data-label": column.hidden ? null : column.title,
        })));
    }
}

/** Shows a state as text with a color. */
function setChip(cell, state, text) {
    let chip = cell.querySelector(".chip");
    if (!chip) cell.append(chip = element("span", { class: "chip" }));
    setAttribute(chip, "data-state", state);
    setText(chip, text);
}
