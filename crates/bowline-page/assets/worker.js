// Holds the one event stream of a browser and passes its messages on to all tabs.

const ports = new Set();
const stream = new URL("../../stream", self.location);
let source;
let last = { state: "still" };

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function follow() {
  if (ports.size === 0) return;
  source = new EventSource(stream);
  source.onopen = () => tell((last = { state: "live" }));
  source.onmessage = (event) => tell({ state: "live", message: JSON.parse(event.data) });
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
    }
  };
  port.postMessage(last);
  if (!source) follow();
};
