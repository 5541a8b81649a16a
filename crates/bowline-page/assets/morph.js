// Makes a part of the document like another one and changes only what differs: focus, scrolling and what somebody typed stay.

function key(node) {
  // A form that has a field called `id` would give that field as its `id`.
  return (node.nodeType === Node.ELEMENT_NODE && node.getAttribute("id")) || "";
}

function isAlike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && key(a) === key(b);
}

/** Whether somebody is filling in this form. */
function isInUse(form) {
  const fields = [...form.elements];
  const typed = fields.some((it) => it.type !== "hidden" && "defaultValue" in it && it.value !== it.defaultValue);
  return typed || form.contains(document.activeElement);
}

function attributes(old, fresh) {
  // What somebody opened stays open, and what somebody closed stays closed.
  const isTheirs = (name) => name === "open" && old.nodeName === "DETAILS";
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isTheirs(name)) old.removeAttribute(name);
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value && !isTheirs(name)) old.setAttribute(name, value);
  }
}

function one(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.nodeName === "FORM" && isInUse(old)) return;
  attributes(old, fresh);
  morph(old, fresh);
}

/** Makes the children of `old` like those of `fresh`. What has the focus keeps it, also where it moves. */
export function become(old, fresh) {
  const focused = document.activeElement;
  morph(old, fresh);
  if (focused !== document.activeElement && old.contains(focused)) focused.focus({ preventScroll: true });
}

function morph(old, fresh) {
  const named = new Map();
  for (const child of old.childNodes) if (key(child)) named.set(key(child), child);
  const wanted = new Set([...fresh.childNodes].map(key));
  let at = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = key(child) ? named.get(key(child)) : undefined;
    if (known && isAlike(known, child)) {
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      one(known, child);
      continue;
    }
    // One that has its own place further down is not made into another.
    if (at && isAlike(at, child) && !(key(at) && wanted.has(key(at)))) {
      const next = at.nextSibling;
      one(at, child);
      at = next;
      continue;
    }
    old.insertBefore(child, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}
