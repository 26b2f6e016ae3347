// The web socket to the server: requests with numbered answers, and channels on which only the newest request counts.

import { unpack } from "./frames.js";

// A fit that takes longer than this makes way for a newer request; a quicker one may end first, so that a moving slider
// always shows something.
const PATIENCE_MS = 150;
const RETRY_MS = 1500;
// Where this tab remembers the name of its session, under which the server keeps what a reload needs.
const SESSION = "bandsvm-session";

export class Connection {
  constructor(path = "/socket") {
    const address = new URL(path, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.address = address;
    this.session = crypto.randomUUID();
    this.open = false;
    this.waiting = new Map();
    this.listeners = new Set();
    this.lastId = 0;
    this.connect();
  }

  /** Calls a listener with true and false whenever the server comes and goes. */
  onChange(listener) {
    this.listeners.add(listener);
  }

  /**
   * Sends a request; resolves to { values, arrays }, or to null if a newer request on the same channel took its place.
   * Rejects with an Error whose message is for the user. `onProgress` receives what the server reports meanwhile.
   */
  request(kind, fields, channel, onProgress = null) {
    if (!this.open) return Promise.reject(new Error("The server is not reachable."));
    this.lastId += 1;
    const id = this.lastId;
    this.socket.send(JSON.stringify({ id, kind, channel, fields }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, onProgress }));
  }

  connect() {
    this.address.searchParams.set("session", this.session);
    this.address.searchParams.set("before", sessionStorage.getItem(SESSION) ?? "");
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      sessionStorage.setItem(SESSION, this.session);
      this.change(true);
    });
    socket.addEventListener("message", ({ data }) => this.receive(unpack(data)));
    socket.addEventListener("close", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("The server is gone."));
      this.waiting.clear();
      this.change(false);
      setTimeout(() => this.connect(), RETRY_MS);
    });
    this.socket = socket;
  }

  change(open) {
    this.open = open;
    for (const listener of this.listeners) listener(open);
  }

  receive({ kind, id, values, arrays }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (kind === "progress") {
      asked.onProgress?.(values);
      return;
    }
    this.waiting.delete(id);
    if (kind === "error") asked.reject(new Error(values.message));
    else asked.resolve(kind === "cancelled" ? null : { values, arrays });
  }
}

/**
 * Asks for one thing again and again, such as the fit that belongs to a slider; only the newest answer counts. `onAnswer(answer,
 * asked)` gets it, with the time of the request; `onError(error)` hears what went wrong, `onBusy(isBusy)` whether an answer
 * is still to come, and `onWait(isLong)` whether that takes long enough to say so.
 */
export class Latest {
  constructor(connection, kind, channel, { onAnswer, onError, onBusy = () => {}, onWait = () => {} }) {
    Object.assign(this, { connection, kind, channel, onAnswer, onError, onBusy, onWait });
    this.next = null;
    this.underWay = 0;
    this.newest = 0;
    this.sending = null; // timers
    this.waiting = null;
  }

  /** Asks with these fields, at once or after what is under way. */
  ask(fields) {
    this.next = { fields, asked: performance.now() };
    this.onBusy(true);
    if (this.underWay === 0) this.send();
    else this.sending ??= setTimeout(() => this.send(), PATIENCE_MS);
  }

  async send() {
    clearTimeout(this.sending);
    this.sending = null;
    if (this.next === null || !this.connection.open) return;
    const { fields, asked } = this.next;
    this.next = null;
    this.newest += 1;
    const number = this.newest;
    this.underWay += 1;
    this.waiting ??= setTimeout(() => this.onWait(true), PATIENCE_MS);
    try {
      const answer = await this.connection.request(this.kind, fields, this.channel);
      if (answer !== null && number === this.newest) this.onAnswer(answer, asked);
    } catch (error) {
      if (number === this.newest) this.onError(error);
    } finally {
      this.underWay -= 1;
      if (this.underWay === 0) this.rest();
    }
  }

  /** Goes on with what was asked meanwhile, if anything was. */
  rest() {
    clearTimeout(this.waiting);
    this.waiting = null;
    this.onWait(false);
    if (this.next === null) this.onBusy(false);
    else this.send();
  }
}
