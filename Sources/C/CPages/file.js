"use strict";
// Sorts and searches each table. Without this script the page has every row, in the order of the list.
for (const time of document.querySelectorAll("[data-age]")) {
  const minutes = Math.floor((Date.now() - Date.parse(time.dataset.age)) / 60000);
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : minutes < 2880 ? [Math.floor(minutes / 60), "hour"] : [Math.floor(minutes / 1440), "day"];
  if (minutes > 0) time.textContent = `, ${count} ${unit}${count === 1 ? "" : "s"} before you opened this page`;
}
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const number = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const time = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;
const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
// The key by which a cell is sorted: numbers come first, then times, then other texts, and cells without a value last.
const sortKey = (cell) => {
  const mark = cell.querySelector("em");
  const text = cell.textContent.slice(0, cell.textContent.length - (mark ? mark.textContent.length : 0)).trim();
  if (text === "") return { kind: 3, value: 0, text };
  if (number.test(text)) return { kind: 0, value: Number(text), text };
  if (time.test(text)) {
    const value = Date.parse(text.length === 10 || /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
    if (!Number.isNaN(value)) return { kind: 1, value, text };
  }
  return { kind: 2, value: 0, text };
};
const order = (a, b) => {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  if (a.kind === 0) return /[.eE]/.test(a.text + b.text) ? 0 : Number(BigInt(a.text) - BigInt(b.text));
  return compare(a.text, b.text);
};
for (const section of document.querySelectorAll("section")) {
  const table = section.querySelector("table");
  if (!table) continue;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row, place) => ({ row, place, text: null }));
  const tools = section.querySelector(".tools"), label = document.createElement("label");
  label.textContent = "Search ";
  const input = document.createElement("input");
  input.type = "search";
  label.append(input);
  const told = document.createElement("output");
  told.setAttribute("aria-live", "polite");
  tools.prepend(label, told);
  let waiting = 0;
  const search = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of rows) {
      if (words.length > 0 && entry.text === null) entry.text = plain(Array.from(entry.row.cells, (cell) => cell.textContent).join("\n"));
      const isFound = words.every((word) => entry.text.includes(word));
      entry.row.hidden = !isFound;
      if (isFound) count += 1;
    }
    told.textContent = words.length > 0 ? `${count} of ${rows.length} rows match` : "";
  };
  input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, rows.length > 2000 ? 150 : 0); });
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDown = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const keyed = rows.map((entry) => ({ entry, key: sortKey(entry.row.cells[column]) }));
      keyed.sort((a, b) => {
        const isMissing = (a.key.kind === 3) - (b.key.kind === 3);
        return isMissing || (isDown ? -1 : 1) * (a.key.kind - b.key.kind || order(a.key, b.key)) || a.entry.place - b.entry.place;
      });
      // Rows of a table that is shown move slowly.
      body.remove();
      for (const { entry } of keyed) body.append(entry.row);
      table.append(body);
    });
  });
}
