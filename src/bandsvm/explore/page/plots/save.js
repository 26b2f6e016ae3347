// Plots as files. The style sheet does not travel with a file, so what it says becomes attributes.

import { button } from "../parts/controls.js";
import { svg } from "../parts/elements.js";
import { colour } from "../parts/theme.js";

const STYLED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size",
  "font-weight", "text-anchor",
];
const PIXELS_PER_UNIT = 3;

/** Returns the text of an SVG file that shows what an element of the page shows. */
function svgText(picture) {
  const { width, height } = picture.getBoundingClientRect();
  const copy = picture.cloneNode(true);
  const originals = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of STYLED) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  });
  for (const name of [...copy.getAttributeNames()]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(svg("rect", { width, height, fill: colour("surface") }));
  return new XMLSerializer().serializeToString(copy);
}

/** Returns buttons that save a picture; `prepared(write)` calls `write` when the picture is ready to be saved. */
export function saveButtons(title, picture, name, prepared = (write) => write()) {
  const save = (format, write) => button(
    format, () => prepared(() => write(picture, name)), { class: "quiet small", "aria-label": `Save ${title} as ${format}` },
  );
  return [save("SVG", saveSvg), save("PNG", savePng)];
}

/** Saves a picture as an SVG file. */
function saveSvg(picture, name) {
  download(new Blob([svgText(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Saves a picture as a PNG file. */
async function savePng(picture, name) {
  const { width, height } = picture.getBoundingClientRect();
  const source = URL.createObjectURL(new Blob([svgText(picture)], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * PIXELS_PER_UNIT);
  canvas.height = Math.round(height * PIXELS_PER_UNIT);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(source);
  const file = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  download(file, `${name}.png`);
}

/** Saves the file that the server answered with; null if there is none. */
export function saveAnswer(answer, type = "") {
  if (answer) download(new Blob([answer.arrays.content], { type }), answer.values.name);
}

/** Lets the browser save a file. */
function download(file, name) {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
