/* The keys of the reading room, and its buttons that copy. Every view works without it. */
"use strict";

const FIELDS = "input, textarea, select, [contenteditable]";

function items() {
  return [...document.querySelectorAll("[data-item]")].filter((item) => item.checkVisibility());
}

function current() {
  return document.querySelector("[data-item].current");
}

/* Make an item the current one, and give its link the focus. */
function choose(item) {
  current()?.classList.remove("current");
  item.classList.add("current");
  const link = item.matches("a") ? item : item.querySelector("a[href]");
  (link ?? item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const all = items();
  if (!all.length) return;
  const at = all.indexOf(current());
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  choose(all[Math.min(Math.max(next, 0), all.length - 1)]);
}

function focusSearch() {
  const field = document.querySelector("[type=search]");
  if (field) {
    field.focus();
    field.select();
  } else {
    document.querySelector("header nav a[href^='/search']")?.click();
  }
}

function openItem() {
  const item = current();
  (item?.matches("a") ? item : item?.querySelector("a[href]"))?.click();
}

/* Say a word to those who listen, and show it on the button for a while. */
function announce(button) {
  const done = button.dataset.done;
  document.getElementById("said").textContent = done;
  const name = button.textContent;
  if (name === done) return;
  button.textContent = done;
  setTimeout(() => { button.textContent = name; }, 1500);
}

/* Without HTTPS, on an address other than this machine's, a browser has no clipboard to write to. */
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

async function copyOf(button) {
  const focused = document.activeElement;
  await copyText(button.dataset.copy);
  focused?.focus();
  announce(button);
}

function copyCurrent() {
  const button = (current() ?? document).querySelector("[data-copy]");
  if (button) copyOf(button);
}

function openKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog.open) dialog.showModal();
}

/* Turn to the page before or after. */
function turn(where) {
  document.querySelector(`main a[rel=${where}]`)?.click();
}

/* Have the passage that is looked at in view beside its page, not the first one there. */
function showPassage() {
  document.querySelector(".large rect.mark")?.scrollIntoView({ block: "center", inline: "center" });
  const pane = document.querySelector(".panes > .passages");
  const passage = pane?.querySelector("[aria-current]");
  if (!pane || pane.querySelector(".verdict")) return;
  const above = passage ? passage.getBoundingClientRect().top - pane.getBoundingClientRect().top : 0;
  pane.scrollTop = passage ? pane.scrollTop + above : 0;
}

addEventListener("load", showPassage);
document.addEventListener("htmx:after:swap", showPassage);

const KEYS = {
  "/": focusSearch,
  j: () => move(1),
  k: () => move(-1),
  c: copyCurrent,
  ArrowLeft: () => turn("prev"),
  ArrowRight: () => turn("next"),
  "?": openKeys,
};

document.addEventListener("keydown", (event) => {
  const ctrl = event.ctrlKey || event.metaKey;
  if (ctrl && event.key === "k") {
    event.preventDefault();
    focusSearch();
    return;
  }
  const isOther = ctrl || event.altKey || document.querySelector("dialog[open]");
  if (isOther || event.target.closest(FIELDS)) return;
  if (event.key === "Enter" && event.target === document.body) openItem();
  const scrolls = event.key.startsWith("Arrow") && (event.shiftKey || event.target.closest(".large"));
  if (!Object.hasOwn(KEYS, event.key) || scrolls) return;
  event.preventDefault();
  KEYS[event.key]();
});

/* Show the page of a citation beside the answer, also while sentences still arrive. */
async function openBeside(link, pane) {
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const parts = page.querySelectorAll("#work > .note, #work figure.page, .passages > [aria-current]");
  pane.replaceChildren(...(parts.length ? parts : page.querySelector("main").childNodes));
  window.htmx?.process(pane);
  pane.scrollTop = 0;
  pane.querySelector("rect.mark")?.scrollIntoView({ block: "nearest" });
  document.querySelector("[data-beside][aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-beside]");
  const pane = document.getElementById("beside");
  if (!link || !pane?.checkVisibility() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openBeside(link, pane);
});

/* A question of a conversation is answered once: the conversation's own address opens it again. */
document.addEventListener("DOMContentLoaded", () => {
  const address = document.querySelector("[data-address]")?.dataset.address;
  if (address) history.replaceState(null, "", address);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-opens]");
  if (!button) return;
  if ("copy" in button.dataset) copyOf(button);
  else document.getElementById(button.dataset.opens).showModal();
});
