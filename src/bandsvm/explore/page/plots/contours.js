// Marching squares: where a grid of values crosses a level.

/**
 * Returns the line segments of a contour as pairs of points, { xs, ys } in units of the grid.
 * `values` holds `rows` rows of `columns` values. A saddle is cut by the value at its centre.
 */
export function contour(values, columns, rows, level) {
  const xs = [];
  const ys = [];
  for (let j = 0; j + 1 < rows; j += 1) {
    let k = j * columns;
    let a = values[k] - level; // top left
    let d = values[k + columns] - level; // bottom left
    for (let i = 0; i + 1 < columns; i += 1) {
      k += 1;
      const b = values[k] - level; // top right
      const c = values[k + columns] - level; // bottom right
      const corners = (a > 0) | ((b > 0) << 1) | ((c > 0) << 2) | ((d > 0) << 3);
      if (corners !== 0 && corners !== 15) cell(i, j, a, b, c, d, corners, xs, ys);
      a = b;
      d = c;
    }
  }
  return { xs, ys };
}

function cell(i, j, a, b, c, d, corners, xs, ys) {
  const top = () => [i + a / (a - b), j];
  const right = () => [i + 1, j + b / (b - c)];
  const bottom = () => [i + d / (d - c), j + 1];
  const left = () => [i, j + a / (a - d)];
  const add = (from, to) => {
    xs.push(from[0], to[0]);
    ys.push(from[1], to[1]);
  };
  const isCentreAbove = a + b + c + d > 0;
  switch (corners) {
    case 1: case 14: return add(left(), top());
    case 2: case 13: return add(top(), right());
    case 4: case 11: return add(right(), bottom());
    case 8: case 7: return add(bottom(), left());
    case 3: case 12: return add(left(), right());
    case 6: case 9: return add(top(), bottom());
    case 5:
      if (isCentreAbove) { add(left(), bottom()); return add(top(), right()); }
      add(left(), top());
      return add(right(), bottom());
    default: // 10
      if (isCentreAbove) { add(left(), top()); return add(right(), bottom()); }
      add(top(), right());
      return add(bottom(), left());
  }
}
