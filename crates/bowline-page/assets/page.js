// Keeps an open view up to date. Everything else works without it.

import { become } from "./morph.js";

const PAUSE = 200;
/** What says how long something lasts is shown anew after this time, too. */
const AGE = 10000;

const main = document.getElementById("main");
const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");
const count = document.getElementById("waiting");
const title = document.title;

let loading = false;
let again = false;
/** Whether something happened while nobody looked. */
let isStale = false;

/** Whether a message is about what this view shows. */
function isAbout(message) {
  const topics = (main.dataset.topics || "").split(" ");
  if (!message.topics.some((topic) => topics.includes(topic))) return false;
  if (message.topics.includes("inbox") && topics.includes("inbox")) return true;
  const here = new URLSearchParams(location.search);
  // What is older does not change.
  if (here.has("before") || here.has("older")) return false;
  // The beginning of a session's name is enough, and the name of a project's folder.
  const [session, project] = ["session", "project"].map((name) => (here.get(name) || "").trim());
  const isSession = (name) => name.startsWith(session);
  const isProject = (folder) => folder === project || folder.split("/").pop() === project;
  const misses = (named, wanted, isWanted) => Boolean(wanted && named && !named.some(isWanted));
  return !misses(message.sessions, session, isSession) && !misses(message.projects, project, isProject);
}

/** Asks for this view again, at most five times a second. */
async function refresh() {
  if (document.visibilityState !== "visible") return void (isStale = true);
  if (loading) return void (again = true);
  loading = true;
  again = false;
  isStale = false;
  try {
    const address = new URL(location.href);
    address.hash = "";
    address.searchParams.set("fragment", "1");
    const response = await fetch(address, { credentials: "same-origin", redirect: "error" });
    if (response.status === 403) return gone();
    if (response.ok) {
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      become(main, fresh.body);
    }
  } catch {
    // The stream says whether the daemon is gone.
  } finally {
    setTimeout(() => {
      loading = false;
      if (again) refresh();
    }, PAUSE);
  }
}

function gone() {
  say("lost", "This page has ended. Run `bowline open` to open it again.");
}

function say(state, text) {
  if (connection.textContent !== text) connection.textContent = text;
  connection.dataset.state = state;
}

function waiting(number) {
  const before = Number(count.dataset.count);
  if (number === before) return;
  count.dataset.count = String(number);
  count.firstChild.nodeValue = String(number);
  entitle();
  if (number > before) {
    announcement.textContent = number === 1 ? "A question waits for you" : `${number} questions wait for you`;
  }
}

/** Who looks at another tab sees how many wait. */
function entitle() {
  const number = Number(count.dataset.count);
  document.title = number > 0 ? `(${number}) ${title}` : title;
}

function hear({ state, message }) {
  if (state === "live") {
    say("live", "Live");
  } else if (state === "lost") {
    say("lost", "No connection to the daemon. If it stays so, run `bowline open` again.");
  }
  if (!message) return;
  waiting(message.waiting);
  if (isAbout(message)) refresh();
}

function throughWorker() {
  const worker = new SharedWorker(new URL("./worker.js", import.meta.url), { name: "bowline" });
  worker.port.onmessage = (event) => hear(event.data);
  addEventListener("pagehide", () => worker.port.postMessage("bye"));
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

/** Where there are no shared workers, one tab holds the stream for all. */
function throughTabs() {
  const channel = new BroadcastChannel("bowline");
  channel.onmessage = (event) => hear(event.data);
  navigator.locks.request("bowline-stream", () => {
    const source = new EventSource(new URL("../../stream", import.meta.url));
    const tell = (message) => {
      channel.postMessage(message);
      hear(message);
    };
    source.onopen = () => tell({ state: "live" });
    source.onmessage = (event) => tell({ state: "live", message: JSON.parse(event.data) });
    source.onerror = () => tell({ state: "lost" });
    // Held until this tab is closed.
    return new Promise(() => {});
  });
}

/** Copies the text beside a button. Where that is not permitted, the text is selected. */
async function copy(button) {
  const code = button.closest(".copyable").querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    announcement.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  } catch {
    getSelection().selectAllChildren(code);
  }
}

// A second click is no second answer. On a page that comes back, for a button that did nothing, it is a first one.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

entitle();
document.documentElement.classList.add("scripted");
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (button) copy(button);
});

document.addEventListener("visibilitychange", () => {
  if (isStale) refresh();
});

setInterval(() => {
  if (connection.dataset.state === "live" && main.dataset.topics) refresh();
}, AGE);

if ("SharedWorker" in window) throughWorker();
else if ("locks" in navigator) throughTabs();
else say("still", "Reload to see what is new");
