// What the gateway tells gets into the page as text and as nothing else: no HTML is ever made of it.

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

/** Touches only what is another: what has not changed is neither drawn nor read out again. */
function setAttribute(of, name, value) {
    if (value === null || value === false) of.removeAttribute(name);
    else if (of.getAttribute(name) !== String(value)) of.setAttribute(name, value);
}

function setText(of, text) {
    if (of.textContent !== String(text)) of.textContent = text;
}

/**
 * Makes the children of `list` those of `items`, each found again by its key, so that the focus stays where it is.
 * `make` gives an element, `update` is told the element and its item.
 */
function keyed(list, items, key, make, update) {
    const kept = new Map([...list.children].map(child => [child.dataset.key, child]));
    let place = list.firstElementChild;
    for (const item of items) {
        const name = String(key(item));
        let child = kept.get(name);
        kept.delete(name);
        if (!child) {
            child = make(item);
            child.dataset.key = name;
        }
        if (child === place) place = place.nextElementSibling;
        else list.insertBefore(child, place);
        update(child, item);
    }
    for (const child of kept.values()) child.remove();
}

/**
 * A table whose rows are kept by their key. On a narrow screen its rows become cards, which ends what a table is to
 * a screen reader unless its roles are said.
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

    /** A table without rows is not shown. */
    show(items) {
        this.#table.hidden = !items.length;
        keyed(this.#body, items, this.#key, () => this.#row(), (row, item) => {
            this.#columns.forEach((column, place) => column.cell(row.children[place], item));
        });
    }

    #row() {
        return element("tr", { role: "row" }, ...this.#columns.map((column, place) => element(place ? "td" : "th", {
            role: place ? "cell" : "rowheader", scope: place ? null : "row", class: column.number ? "number" : null,
            "data-label": column.hidden ? null : column.title,
        })));
    }
}

/** A state in a word and a color. */
function setChip(cell, state, text) {
    let chip = cell.querySelector(".chip");
    if (!chip) cell.append(chip = element("span", { class: "chip" }));
    setAttribute(chip, "data-state", state);
    setText(chip, text);
}
