"use strict";
// Keeps the page up to date by the daemon's stream. What has not changed stays as it is: focus, selection, scrolling.

const connection = document.getElementById("connection");
const bar = connection.parentElement;
const pause = document.getElementById("pause");
const parts = document.getElementById("parts");
const silence = 40000; // ms without an event after which the page counts as stale
let source = null;
let heard = 0;

// say shows how current the page is.
function say(text, stale) {
  if (connection.textContent !== text) connection.textContent = text;
  bar.classList.toggle("stale", stale);
}

// shown returns the time of the state that the page shows.
function shown() {
  const time = document.querySelector("#head time");
  return time ? time.textContent : "an unknown time";
}

// elements returns the elements of some HTML. Scripts in it do not run.
function elements(html) {
  return new DOMParser().parseFromString(html, "text/html").body.children;
}

// update makes a node equal to another one, and keeps its inner nodes where it can.
function update(node, like) {
  if (node.nodeType !== like.nodeType || node.nodeName !== like.nodeName || node.id !== like.id) {
    node.replaceWith(like);
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.data !== like.data) node.data = like.data;
    return;
  }
  for (const a of [...node.attributes]) if (!like.hasAttribute(a.name)) node.removeAttribute(a.name);
  for (const a of like.attributes) if (node.getAttribute(a.name) !== a.value) node.setAttribute(a.name, a.value);
  const is = [...node.childNodes], wanted = [...like.childNodes];
  for (let i = 0; i < wanted.length; i++) {
    if (i < is.length) update(is[i], wanted[i]);
    else node.append(wanted[i]);
  }
  for (const rest of is.slice(wanted.length)) rest.remove();
}

// titled gives the page the title of its state.
function titled() {
  const head = document.getElementById("head");
  if (head) document.title = head.dataset.title;
}

// arrived records the time at which the daemon has last sent something.
function arrived() {
  heard = Date.now();
  titled();
  say("Connected: the page follows the daemon.", false);
}

function open() {
  source = new EventSource("stream");
  source.addEventListener("all", (e) => {
    const like = parts.cloneNode(false);
    like.append(...elements(e.data));
    update(parts, like);
    arrived();
  });
  source.addEventListener("part", (e) => {
    for (const like of [...elements(e.data)]) {
      const node = document.getElementById(like.id);
      if (node) update(node, like);
    }
    arrived();
  });
  source.addEventListener("still", arrived);
  source.addEventListener("replaced", (e) => {
    stop();
    say("Paused, because " + e.data + ". This is the state of " + shown() + ".", true);
  });
  source.addEventListener("error", () => {
    say("Not connected to the daemon. This is the state of " + shown() + ".", true);
  });
}

function stop() {
  source.close();
  source = null;
  pause.textContent = "Follow";
}

pause.addEventListener("click", () => {
  if (source) {
    stop();
    say("Paused. This is the state of " + shown() + ".", false);
    return;
  }
  pause.textContent = "Pause";
  open();
});

setInterval(() => {
  if (source && heard && Date.now() - heard > silence) {
    say("The daemon is silent. This is the state of " + shown() + ".", true);
  }
}, 5000);

pause.hidden = false;
titled();
open();
