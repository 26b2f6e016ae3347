// Undo and redo of edits to the samples.

const MAX_STEPS = 200;

/** Returns a history: `record(before)`, `undo(now)` and `redo(now)`, which return what to go to, or null. */
export function createHistory(onChange) {
  let past = [];
  let future = [];
  const step = (from, to, now) => {
    if (from.length === 0) return null;
    to.push(now);
    const found = from.pop();
    onChange(past.length > 0, future.length > 0);
    return found;
  };
  return {
    record(before) {
      past = [...past.slice(1 - MAX_STEPS), before];
      future = [];
      onChange(true, false);
    },
    undo: (now) => step(past, future, now),
    redo: (now) => step(future, past, now),
  };
}
