// Plots as files. The style sheet does not travel with a file, so what it says becomes attributes.

import { svg } from "../parts/elements.js";
import { colour } from "../parts/theme.js";

const STYLED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size",
  "font-weight", "text-anchor",
];
const PIXELS_PER_UNIT = 3;

/** Returns the text of an SVG file that shows what an element of the page shows. */
export function svgText(picture) {
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

/** Saves a picture as an SVG file. */
export function saveSvg(picture, name) {
  download(new Blob([svgText(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Saves a picture as a PNG file. */
export async function savePng(picture, name) {
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

/** Lets the browser save a file. */
export function download(file, name) {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
