// Marching squares: where a grid of values crosses a level.

/**
 * Returns a contour as lines, { xs, ys } in units of the grid, with NaN between one line and the next.
 * `values` holds `rows` rows of `columns` values. A saddle is cut by the value at its centre.
 */
export function contour(values, columns, rows, level) {
  const next = new Map(); // from each crossed edge of the grid to the one or two that a cell joins it with
  const join = (a, b) => {
    if (next.has(a)) next.get(a).push(b);
    else next.set(a, [b]);
  };
  for (let j = 0; j + 1 < rows; j += 1) {
    for (let i = 0; i + 1 < columns; i += 1) {
      const k = j * columns + i;
      const a = values[k] > level;
      const b = values[k + 1] > level;
      const c = values[k + columns + 1] > level;
      const d = values[k + columns] > level;
      if (a === b && b === c && c === d) continue;
      // An edge is numbered by its first corner: even to the right of it, odd below.
      const [top, right, bottom, left] = [2 * k, 2 * (k + 1) + 1, 2 * (k + columns), 2 * k + 1];
      let crossed = [];
      if (a !== b) crossed.push(top);
      if (b !== c) crossed.push(right);
      if (c !== d) crossed.push(bottom);
      if (d !== a) crossed.push(left);
      if (crossed.length === 4) {
        const centre = values[k] + values[k + 1] + values[k + columns] + values[k + columns + 1] > 4 * level;
        crossed = centre === a ? [top, right, bottom, left] : [left, top, right, bottom];
      }
      for (let pair = 0; pair < crossed.length; pair += 2) {
        join(crossed[pair], crossed[pair + 1]);
        join(crossed[pair + 1], crossed[pair]);
      }
    }
  }
  return lines(next, (edge) => crossing(values, columns, level, edge));
}

/** Returns where on an edge of the grid the level is crossed. */
function crossing(values, columns, level, edge) {
  const k = edge >> 1;
  const isDown = edge & 1;
  const from = values[k] - level;
  const share = from / (from - (values[k + (isDown ? columns : 1)] - level));
  const [i, j] = [k % columns, Math.floor(k / columns)];
  return isDown ? [i, j + share] : [i + share, j];
}

/** Returns the lines that lead from edge to edge: first those with ends, then closed ones. */
function lines(next, place) {
  const xs = [];
  const ys = [];
  const add = ([x, y]) => {
    xs.push(x);
    ys.push(y);
  };
  const follow = (start) => {
    let edge = start;
    while (edge !== undefined) {
      add(place(edge));
      const neighbours = next.get(edge);
      next.delete(edge);
      const onward = neighbours.find((other) => next.has(other));
      if (onward === undefined && neighbours.length === 2 && neighbours.includes(start)) add(place(start));
      edge = onward;
    }
    add([NaN, NaN]);
  };
  for (const [edge, neighbours] of [...next]) if (neighbours.length === 1 && next.has(edge)) follow(edge);
  for (const edge of [...next.keys()]) if (next.has(edge)) follow(edge);
  return { xs, ys };
}
