// Holds the one event stream of a browser and passes its messages on to all tabs.

const ports = new Set();
const stream = new URL("../../stream", self.location);
let source;
let last = { state: "still" };
/** How many questions wait. */
let waiting = 0;

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function follow() {
  if (ports.size === 0) return;
  source = new EventSource(stream);
  source.onopen = () => tell((last = { state: "live" }));
  source.onmessage = (event) => {
    const message = JSON.parse(event.data);
    waiting = message.waiting;
    tell({ state: "live", message });
  };
  source.onerror = () => {
    tell((last = { state: "lost" }));
    // A refusal ends the stream for good. The page may be served again later.
    if (source?.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
}

self.onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = (said) => {
    if (said.data === "bye") ports.delete(port);
    if (ports.size === 0 && source) {
      source.close();
      source = undefined;
      last = { state: "still" };
    }
  };
  port.postMessage(last);
  // Something may have happened since its view was made.
  const everything = { topics: ["events", "inbox"], sessions: null, projects: null, waiting };
  if (last.state === "live") port.postMessage({ state: "live", message: everything });
  if (!source) follow();
};
