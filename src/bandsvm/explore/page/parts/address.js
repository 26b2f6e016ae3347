// The state of the page lives in the address: #view?name=value&name=value. Reloading, going back and sharing work.

// A slider comes to rest before the address follows it; browsers take milliseconds for a change, and refuse too many.
const SETTLE_MS = 250;

export class Address {
  /** `onVisit({ view, fields })` shows a place; `onPlace(view, hash)` hears where each view is. */
  constructor(onVisit, onPlace) {
    this.onVisit = onVisit;
    this.onPlace = onPlace;
    this.timer = null;
    addEventListener("popstate", () => this.visit());
    addEventListener("hashchange", () => this.visit());
  }

  /** Returns the view and its fields, both as the address has them: text that may be anything. */
  read() {
    const [view, query = ""] = location.hash.slice(1).split("?", 2);
    return { view, fields: Object.fromEntries(new URLSearchParams(query)) };
  }

  /** Shows what the address names. */
  visit() {
    clearTimeout(this.timer);
    this.timer = null;
    if (location.hash === this.shown) return;
    this.shown = this.wanted = location.hash;
    const place = this.read();
    if (location.hash) this.onPlace(place.view, location.hash);
    this.onVisit(place);
  }

  /** Puts a view's fields into the address: a step that the back button undoes, or, while a slider moves, none. */
  write(view, fields, isStep) {
    const query = new URLSearchParams(fields).toString();
    this.wanted = `#${view}${query ? `?${query}` : ""}`;
    this.isStep = isStep || (this.timer !== null && this.isStep);
    clearTimeout(this.timer);
    if (isStep) this.flush();
    else this.timer = setTimeout(() => this.flush(), SETTLE_MS);
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.wanted === location.hash) return;
    this.shown = this.wanted;
    this.onPlace(this.wanted.slice(1).split("?", 1)[0], this.wanted);
    if (this.isStep) history.pushState(null, "", this.wanted);
    else history.replaceState(null, "", this.wanted);
  }
}
