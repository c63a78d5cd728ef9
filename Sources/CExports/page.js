"use strict";
// Sorts and searches each table. Without this script the page has every row, in the order of the list.
for (const time of document.querySelectorAll("[data-age]")) {
  const minutes = Math.floor((Date.now() - Date.parse(time.dataset.age)) / 60000);
  const [count, unit] = minutes < 60 ? [minutes, "minute"] : minutes < 2880 ? [Math.floor(minutes / 60), "hour"] : [Math.floor(minutes / 1440), "day"];
  if (minutes >= 0) time.textContent = `, ${count} ${unit}${count === 1 ? "" : "s"} ago now`;
}
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const number = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;
for (const section of document.querySelectorAll("section")) {
  const table = section.querySelector("table");
  if (!table) continue;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row, place) => ({ row, place, text: null }));
  const tools = document.createElement("div");
  tools.className = "tools";
  const label = document.createElement("label");
  label.textContent = "Search ";
  const input = document.createElement("input");
  input.type = "search";
  label.append(input);
  const told = document.createElement("output");
  told.setAttribute("aria-live", "polite");
  tools.append(label, told);
  section.querySelector(".scroll").before(tools);
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
  const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDown = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const keyed = rows.map((entry) => ({ entry, key: entry.row.cells[column].textContent.trim() }));
      const isNumeric = keyed.every(({ key }) => key === "" || number.test(key));
      const order = (a, b) => {
        if (!isNumeric) return compare(a, b);
        return Number(a) - Number(b) || (a.length > 15 && b.length > 15 && !/[.eE]/.test(a + b) ? Number(BigInt(a) - BigInt(b)) : 0);
      };
      // Rows without a value come last in either direction.
      keyed.sort((a, b) => (a.key === "") - (b.key === "") || (isDown ? -1 : 1) * order(a.key, b.key) || a.entry.place - b.entry.place);
      // Rows of a table that is shown move slowly.
      body.remove();
      for (const { entry } of keyed) body.append(entry.row);
      table.append(body);
    });
  });
}
