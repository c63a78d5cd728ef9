"use strict";
// Everything works without this script, but for the search while a person types. It fetches the same pages and takes their parts.
const read = async (address, options) => {
  const reply = await fetch(address, options);
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  // The form for the token has none of the parts. It is shown as the page that it is.
  if (new URL(reply.url).pathname === "/-/login") {
    location.assign(reply.url);
    throw new Error("not signed in");
  }
  return [new DOMParser().parseFromString(await reply.text(), "text/html"), reply.url];
};
const find = (selector, root = document) => root.querySelector(selector);
const swap = (selector, page, from = selector) => find(selector)?.replaceChildren(...(find(from, page)?.childNodes ?? []));

// Searches three tenths of a second after the last letter. The jump menu at the top looks only at what is stored.
// Each form has a search of its own, so that typing into one does not end that of the other.
const searches = new WeakMap();
document.addEventListener("input", ({ target }) => {
  const form = target.closest("form[data-live], .jump");
  if (!form) return;
  const isJump = form.matches(".jump"), older = searches.get(form), flight = new AbortController();
  clearTimeout(older?.waiting);
  older?.flight.abort();
  const waiting = setTimeout(async () => {
    const address = `${form.action.split("?")[0]}?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value))}`;
    if (!isJump) find("#answer, #found").ariaBusy = "true";
    try {
      const [page, url] = await read(isJump ? `${address}&offline=true&limit=8` : address, { signal: flight.signal });
      if (isJump) return swap("#jumps", page, "#found");
      for (const part of form.dataset.live.split(" ")) swap(part, page);
      find("#answer")?.setAttribute("class", find("#answer", page)?.className ?? "answer");
      find("#answer, #found").ariaBusy = null;
      history.replaceState(null, "", url.replace(/\?$/, ""));
      watch();
    } catch (error) {
      // The page at that address says what is wrong.
      if (error.name !== "AbortError" && !isJump) location.assign(address);
    }
  }, 300);
  searches.set(form, { waiting, flight });
});

// "/" goes to the jump menu, arrows through it, Escape out of it.
document.addEventListener("keydown", (event) => {
  const jump = find(".jump"), inJump = jump?.contains(event.target);
  if (event.key === "/" && !event.target.matches("input, select, textarea")) {
    find("input", jump)?.focus();
    if (find("input", jump)?.value) find("input", jump).dispatchEvent(new Event("input", { bubbles: true }));
  }
  else if (inJump && ["ArrowDown", "ArrowUp"].includes(event.key)) {
    const stops = [find("input", jump), ...jump.querySelectorAll("#jumps a")];
    stops.at((stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)) % stops.length).focus();
  } else if (inJump && event.key === "Escape") { find("#jumps").replaceChildren(); event.target.blur(); }
  else return;
  event.preventDefault();
});

// Adds the rows of the next page. If it has another origin or rows that are here already, the longer page is read as a whole.
const more = async (link) => {
  if (link.ariaBusy) return;
  link.ariaBusy = "true";
  const from = find("#told .from"), rows = find("[data-rows]"), isRow = (row) => known.has(row.dataset.id);
  const known = new Set(Array.from(rows.children, (row) => row.dataset.id)), all = (page) => Array.from(find("[data-rows]", page)?.children ?? []);
  const address = link.href ?? link.action;
  // The page at the address says what is wrong.
  const fetched = (address, options) => read(address, options).catch(() => location.assign(link.href ?? location));
  let [page, url] = await fetched(address, { method: link.method ?? "get" }) ?? [];
  if (!page || !link.isConnected) return;
  const isNext = link.href && (find("#told .from", page)?.textContent ?? "1") !== "1", longer = new URL(location);
  longer.searchParams.set("limit", rows.children.length + all(page).length);
  if (isNext && (all(page).some(isRow) || find("#told .origin", page)?.dataset.kind !== find("#told .origin").dataset.kind)) {
    [page] = await fetched(longer) ?? [];
    if (!page || !link.isConnected) return;
    rows.replaceChildren();
    known.clear();
  }
  // A list that was read again from its beginning may have changed there.
  const old = Array.from(rows.children).filter((row) => row.dataset.id), isSame = (row, at) => row.textContent === all(page)[at]?.textContent;
  if (!isNext && link.href && !old.every(isSame)) {
    rows.replaceChildren();
    known.clear();
  }
  const isFocused = find(".list > .end").contains(document.activeElement), added = all(page).filter((row) => !isRow(row));
  rows.append(...added);
  swap("#told", page);
  if (isNext && known.size) find("#told .from")?.replaceWith(from);
  if (!added.length) find("#told").append("Nothing new came.");
  find("#answer").className = find("#answer", page).className;
  find(".list > .end").replaceWith(find(".list > .end", page) ?? "");
  if (isNext && rows.children.length < 400) find("a.more")?.setAttribute("data-more", "");
  history.replaceState(null, "", isNext ? longer : url);
  if (isFocused) find("a", added[0] ?? rows.lastElementChild)?.focus();
  watch();
};
// Presses the link twice by itself when it comes near. Then it waits for a person, so that the foot of the page can be reached.
let presses = 2;
const watcher = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting) && presses-- > 0) more(find("a[data-more]")); }, { rootMargin: "400px" });
const watch = () => { watcher.disconnect(); const link = find("a[data-more]"); if (link && presses > 0) watcher.observe(link); };
watch();
document.addEventListener("click", (event) => {
  if (!event.target.matches("a[data-more]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  more(event.target);
});

// A deleted record gives its place to a line that brings it back.
const deleted = new Map();
document.addEventListener("submit", async (event) => {
  const form = event.target, row = form.closest("[data-id]"), place = form.closest("[data-undo]");
  if (!form.matches("form.more") && !(form.matches(".delete") && row) && !place) return;
  event.preventDefault();
  if (form.matches("form.more")) return more(form);
  const [page, url] = await read(form.action, { method: "POST" }).catch(() => location.reload()) ?? [];
  if (!page) return;
  if (place) {
    place.replaceWith(deleted.get(place));
    return find(".delete button", deleted.get(place)).focus();
  }
  const line = find(".undo", page), stand = document.createElement(row.localName);
  if (!line) return location.assign(url);
  stand.dataset.undo = "";
  const cell = row.localName === "tr" ? stand.appendChild(document.createElement("td")) : stand;
  if (cell !== stand) cell.colSpan = row.children.length;
  cell.append(line);
  deleted.set(stand, row);
  row.replaceWith(stand);
  find("button", stand).focus();
});

// Looks at a job again until it is over.
const again = () => setTimeout(async () => {
  const [page] = await read(location.href).catch(() => [document]);
  if (page !== document) swap("#job", page);
  if (find("#job[data-again]", page)) again();
}, 1000);
if (find("#job[data-again]")) again();
