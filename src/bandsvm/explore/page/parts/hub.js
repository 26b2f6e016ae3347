// Linked hover: all pictures of the same samples share a hub.

/** Returns a hub: `point` says which sample is pointed at (or null), `onPoint` hears of it. */
export function createHub() {
  const listeners = new Set();
  let current = null;
  return {
    get current() {
      return current;
    },
    onPoint(listener) {
      listeners.add(listener);
    },
    point(index) {
      if (index === current) return;
      current = index;
      for (const listener of listeners) listener(index);
    },
  };
}
